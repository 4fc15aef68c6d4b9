"""Traits of how a question is written: capitals, marks, spelling, and small words that may be anywhere in it.

Questions for a fact, for advice and for a debate are often written differently: "Should Schools Be Free?",
"how long to boil eggs", "pls how can i stop it?".
"""

from __future__ import annotations

import re

from rekern.questions.function_words import ENGLISH, INTERROGATIVES, unify_form
from rekern.structures.tokenizer import Tokenizer

QUESTION_WORDS = frozenset({"what", "which", "who", "whom", "whose", "where", "when", "why", "how"})
SHORT_FORMS = {"whats": "what", "wat": "what", "hows": "how"}
AUXILIARIES = frozenset({"be", "do", "have", "can", "will", "should", "may", "might", "must", "shall"})
SUPERLATIVES = frozenset({"best", "most", "worst"})
COMPARATIVES = frozenset({"more", "better", "less", "worse", "than"})
SMALL_WORDS = ("or", "you", "i", "if", "should", "and")  # in their base form: "my" is "i"
MANY = 0.7  # a larger share of content words with a capital is that of a title

_FUNCTION = ENGLISH | INTERROGATIVES
_CHAT = re.compile(r"\b(?:u|ur|r|pls|plz|whats|wat|dont|cant|im|n|2)\b")
_NO_SPACE_AFTER = re.compile(r"[?.,!;][A-Za-z]")
_SPACE_BEFORE = re.compile(r" [?,.]")
_split = Tokenizer(None)


def list_traits(question: str) -> list[str]:
    """List the traits of a question, each alone and with the question word, which comes first.

    A question without a question word that begins with an auxiliary asks for yes or no.

    >>> list_traits("Is it the best")
    ['asks yes or no', 'first letter: large', 'capitals: none', 'end: none', 'superlative', \
'yes or no, first letter: large', 'yes or no, capitals: none', 'yes or no, end: none', 'yes or no, superlative']
    >>> [trait for trait in list_traits("pls how can i cook rice ?") if trait.startswith("how, ")]
    ['how, first letter: small', 'how, capitals: none', 'how, small i', 'how, end: space ?', \
'how, space before a mark', 'how, chat', 'how, has i']
    """
    words = [unify_form(SHORT_FORMS.get(word, word)) for word in _split(question)]
    other = "yes or no" if words and words[0] in AUXILIARIES else "nothing"
    asks = next((word for word in words if word in QUESTION_WORDS), other)
    found = [*_list_capitals(question), *_list_marks(question), *_list_small_words(set(words))]
    return [f"asks {asks}", *found, *(f"{asks}, {trait}" for trait in found)]


def _list_capitals(question: str) -> list[str]:
    first = question[:1]
    words = question.split()
    later = [word for word in words[1:] if word[0].isalpha()]
    content = [word[0].isupper() for word in later if word.lower() not in _FUNCTION]
    found = ["first letter: " + ("large" if first.isupper() else "small" if first.islower() else "none")]
    if content:
        share = sum(content) / len(content)
        found.append("capitals: " + ("many" if share > MANY else "some" if share else "none"))
    if any(word[0].isupper() and word.lower() in _FUNCTION and word != "I" for word in later):
        found.append("function word with a capital")
    if any(word.isupper() and len(word) > 1 for word in words):
        found.append("all capitals")
    if "i" in words:
        found.append("small i")
    return found


def _list_marks(question: str) -> list[str]:
    ends = {" ?": "space ?", "?": "?", ".": "."}
    end = next((name for mark, name in ends.items() if question.endswith(mark)), None)
    found = [f"end: {end or ('none' if question[-1:].isalnum() else 'other')}"]
    if any(character.isdigit() for character in question):
        found.append("digit")
    if "’" in question or "“" in question:
        found.append("printed quotes")
    if _NO_SPACE_AFTER.search(question):
        found.append("no space after a mark")
    if _SPACE_BEFORE.search(question):
        found.append("space before a mark")
    if question.count("?") > 1:
        found.append("several ?")
    if _CHAT.search(question):
        found.append("chat")
    return found


def _list_small_words(words: set[str]) -> list[str]:
    found = []
    if words & SUPERLATIVES or any(len(word) > 4 and word.endswith("est") for word in words):
        found.append("superlative")
    if words & COMPARATIVES:
        found.append("comparative")
    return [*found, *(f"has {word}" for word in SMALL_WORDS if word in words)]
