"""What a question asks for, and how it is written: `QuestionFocus`, a kernel, and `list_traits`.

The focus of "What Canadian city has the largest population?" is "city": the answer is a city. It is found by rules over
the words and by WordNet, without a parser. Silva et al. (2011) call it the head word.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from rekern.errors import InputError
from rekern.kernels.kernel_items import Items, materialize_items
from rekern.kernels.strings.ngram_kernels import Pattern, PatternKernel
from rekern.questions.function_words import ENGLISH, INTERROGATIVES, read_words, unify_form
from rekern.similarity.lexicons.base_forms import list_base_forms
from rekern.similarity.lexicons.wordnet import WordNet, find_wordnet
from rekern.structures.column_selection import select_texts
from rekern.structures.tokenizer import Tokenizer
from rekern.structures.tokens import Tokens

PARTS = ("question", "form", "ending", "focus", "kinds", "actions", "context")
LONGEST_FORM = 5  # parts of the form of a question: what follows is rarely the same twice
MOST_SENSES = {"n": 3, "v": 2}  # of a noun and of a verb: rare senses have kinds that mislead
QUESTION_WORDS = read_words("what which who whom whose where when why how name")
WITHOUT_FOCUS = read_words("who whom where when why")  # these words say themselves what is asked for
AUXILIARIES = read_words(
    "is are was were be been do does did has have had can could will would should may might must 's 're"
)
NUMERALS = read_words("two three four five six seven eight nine ten eleven twelve")
DETERMINERS = NUMERALS | read_words(
    "the a an this that these those his her its their your my our any some all most first"
)
INSIDE_PHRASES = NUMERALS | read_words("most first")  # "the three most successful companies" is one phrase
# Words and marks that end the phrase of the focus.
BOUNDARIES = read_words(
    "of in on at for by with from to into about as during between than through under over after before without within "
    "near per against who which that whose where when and or if , ; : ( ) `` '' \" ? . !"
)
# "What kind of bird …" asks for a bird, not for a kind.
EMPTY_NOUNS = read_words(
    "kind kinds type types sort sorts name names form forms part member species variety term number example list group "
    "genre class brand style one"
)
CONJUNCTIONS = read_words("and or ,")  # between adjectives they do not end a phrase: "the quickest and cheapest way"
MORE_OFTEN_VERB = 3  # times as many senses as a verb as a noun: "what holiday saw …"
POSSESSIVES = ("'s", "'")
NO_MAIN_VERBS = AUXILIARIES | BOUNDARIES
BEFORE_FOCUS = AUXILIARIES | DETERMINERS
WITHOUT_KINDS = QUESTION_WORDS | AUXILIARIES | DETERMINERS | BOUNDARIES


class Focus(NamedTuple):
    """What a question asks for: how it asks, and the noun that names what is asked for, or None."""

    question: str
    word: str | None


def find_focus(words: list[str], wordnet: WordNet) -> Focus:
    """Return how a question asks and the word in its focus; ``words`` are as written.

    >>> nouns = [(str(n), "n", [word], [], "") for n, word in enumerate(["city", "population", "bird"])]
    >>> wordnet = WordNet.from_synsets([*nouns, ("9", "v", ["lay"], [], ""), ("10", "v", ["mean"], [], "")])
    >>> find_focus("What Canadian city has the largest population ?".split(), wordnet)
    Focus(question='what', word='city')
    >>> find_focus("What is the name of the bird that lays these ?".split(), wordnet)
    Focus(question='what is', word='bird')
    >>> find_focus("How many birds lay here ?".split(), wordnet)
    Focus(question='how many', word=None)
    >>> find_focus("What does it mean ?".split(), wordnet)
    Focus(question='what do mean', word=None)
    >>> find_focus("Which city 's population grows ?".split(), wordnet)  # the owner is asked for
    Focus(question='which', word='city')
    """
    lower = [word.casefold() for word in words]
    place = _find_question_word(lower)
    question = "none" if place is None else lower[place]
    if question in WITHOUT_FOCUS:
        return Focus(question, None)
    start = 0 if place is None else place + 1
    if question == "name" and lower[start : start + 1] == ["of"]:
        start += 1
    if question == "how":
        return Focus(" ".join(["how", *lower[start : start + 1]]), None)
    if lower[start : start + 1] in (["do"], ["does"], ["did"]):
        rest = reversed(lower[start + 1 :])
        verb = next((word for word in rest if word not in NO_MAIN_VERBS and _is(wordnet, word, "v")), "")
        return Focus(f"{question} do {verb}".rstrip(), None)
    direct = True
    while start < len(lower) and lower[start] in BEFORE_FOCUS:
        direct = direct and lower[start] not in AUXILIARIES
        start += 1
    if question != "name" and _is_verb_only(wordnet, lower[start : start + 1], lower[start + 1 : start + 2], direct):
        verb = lower[start]
        if direct:
            return Focus(f"{question} {verb}", None)
        start += 1  # "what is considered the best car", but "what is kept in a garage"
        while start < len(lower) and lower[start] in DETERMINERS:
            start += 1
        if start == len(lower) or _ends_phrase(lower[start], False):
            return Focus(f"{question} is {verb}", None)
    asks_for_owner = direct and question in ("what", "which")
    return Focus(question if direct else f"{question} is", _find_head(lower, start, wordnet, asks_for_owner))


def _find_question_word(words: list[str]) -> int | None:
    """Return the place of the question word; "when" and "where" that begin a clause before it are no question words."""
    places = [number for number, word in enumerate(words) if word in QUESTION_WORDS]
    if len(places) > 1 and words[places[0]] in ("when", "where"):
        following = words[places[0] + 1 : places[0] + 2]
        if "," in words[places[0] : places[1]] and not set(following) & AUXILIARIES:
            return places[1]
    return places[0] if places else None


def _find_head(words: list[str], start: int, wordnet: WordNet, asks_for_owner: bool) -> str | None:
    """Return the last noun of the phrase that begins at ``start``; of "name of X" and "Y's X" it is that of X.

    With ``asks_for_owner`` it is that of Y: "which country's capital …" asks for a country.
    """
    while True:
        phrase: list[str] = []
        end = start
        while end < len(words):
            word = words[end]
            if word in CONJUNCTIONS and end > start and not any(_is(wordnet, other, "n") for other in phrase):
                end += 1
                continue
            if _ends_phrase(word, end > start):
                break
            if phrase and _continues_as_verb(phrase[-1], word, words[end + 1 : end + 2], wordnet):
                break
            phrase.append(word)
            end += 1
        if not phrase:
            return None
        if not asks_for_owner and words[end : end + 1] and words[end] in POSSESSIVES:
            start = end + 1
            continue
        head = next((word for word in reversed(phrase) if _is(wordnet, _cut_hyphen(word), "n")), phrase[-1])
        head = _cut_hyphen(head)
        if head not in EMPTY_NOUNS or words[end : end + 1] != ["of"]:
            return head
        start = end + 1
        while start < len(words) and words[start] in DETERMINERS:
            start += 1


def _ends_phrase(word: str, inside: bool) -> bool:
    is_article = inside and word in DETERMINERS and word not in INSIDE_PHRASES
    return word in BOUNDARIES or word in AUXILIARIES or word in POSSESSIVES or is_article


def _cut_hyphen(word: str) -> str:
    return word.rsplit("-", 1)[-1] or word


def _continues_as_verb(before: str, word: str, following: list[str], wordnet: WordNet) -> bool:
    """Whether a word after a noun is its verb, as in "countries begin", "composer wrote" and "spider makes a web".

    A word that may be a noun, too, is a verb if it has more senses as one: "radio stations" are no verb.
    """
    verbs, nouns = len(wordnet.synsets(word, "v")), len(wordnet.synsets(word, "n"))
    if not verbs or not _is(wordnet, _cut_hyphen(before), "n"):
        return False
    plural = before.endswith("s") and before not in wordnet.lemmas(before)
    if not nouns or word.endswith("ed") or (plural and not word.endswith("s")):
        return True
    if plural:
        return False
    if not word.endswith("s") or word.endswith("ss"):
        return verbs > MORE_OFTEN_VERB * nouns
    goes_on = following and following[0] not in BOUNDARIES | AUXILIARIES and following[0] not in POSSESSIVES
    return verbs > nouns or (verbs == nouns and bool(goes_on))


def _is_verb_only(wordnet: WordNet, words: list[str], following: list[str], direct: bool) -> bool:
    """Whether the first word is a verb and no noun; before a noun, "moving" and "interesting" are adjectives."""
    if not any(_is(wordnet, word, "v") and not _is(wordnet, word, "n") for word in words):
        return False
    is_adjective = direct and _is(wordnet, words[0], "a")
    return not (is_adjective and any(_is(wordnet, word, "n") and word not in DETERMINERS for word in following))


def _is(wordnet: WordNet, word: str, pos: str) -> bool:
    return bool(wordnet.synsets(word, pos))


def describe_form(words: list[str]) -> list[str]:
    """Describe how a question begins: its small words, and names, abbreviations and other words by their kind.

    >>> describe_form("Who is Mary Smith ?".split())
    ['who is', 'who is Name', 'who is Name ?']
    >>> describe_form("What does the UNESCO do ?".split())[-1]
    'what does the ABC do'
    """
    found: list[str] = []
    for place, word in enumerate(words):
        lower = word.casefold()
        if lower in WITHOUT_KINDS or not word[:1].isalnum():  # an empty word is one of its own
            kind = lower
        elif word.isupper() and len(word) > 1:
            kind = "ABC"
        elif word[0].isdigit():
            kind = "number"
        else:
            kind = "Name" if word[0].isupper() and place else "word"
        if found[-1:] != [kind]:
            found.append(kind)
    return [" ".join(found[:length]) for length in range(2, min(len(found), LONGEST_FORM) + 1)]


def describe_ending(words: list[str]) -> list[str]:
    """Describe how a question ends: its last word and its last two, without the marks behind them.

    >>> describe_ending("What is a young cat called ?".split())
    ['called', 'cat called']
    """
    rest = [word.casefold() for word in words]
    while rest and not any(character.isalnum() for character in rest[-1]):
        rest.pop()
    return [" ".join(rest[-length:]) for length in (1, 2) if len(rest) > length]


def list_kinds(word: str, wordnet: WordNet, pos: str = "n") -> list[str]:
    """Return the names of what a noun or a verb may be: its senses and all that is above them, each once.

    >>> synsets = [("1", "n", ["animal"], [], ""), ("2", "n", ["bird"], ["1"], "")]
    >>> list_kinds("birds", WordNet.from_synsets(synsets))
    ['bird', 'animal']
    """
    places = wordnet.synsets(word, pos)[: MOST_SENSES[pos]]
    seen = dict.fromkeys(places)
    for place in places:  # it grows
        above = wordnet.above[wordnet.starts[place] : wordnet.starts[place + 1]].tolist()
        places += [other for other in above if other not in seen]
        seen |= dict.fromkeys(above)
    return [wordnet.members[place][0] for place in seen if wordnet.members[place]]


class QuestionFocus(PatternKernel):
    """What two questions ask for: the question word, the word in focus, and what kind of thing that is.

    The features have values of 0 or 1. Of the ``parts``, ``"question"`` is how the question asks ("what is", "how
    many"); ``"focus"`` the word in focus, alone and with the former; ``"form"`` how it begins, with names and other
    words by their kind ("who is Name ?"); ``"ending"`` the last word and the last two ("called", "come from");
    ``"kinds"`` are the kinds of things that WordNet has above the word in focus; ``"context"`` those above the other
    words; ``"actions"`` are the kinds of actions that WordNet has above the verbs ("publish" is a way to make).

    >>> synsets = [("1", "n", ["place"], [], ""), ("2", "n", ["city"], ["1"], ""), ("3", "n", ["river"], ["1"], "")]
    >>> kernel = QuestionFocus(wordnet=WordNet.from_synsets(synsets), normalize=False)
    >>> kernel("What city is this?", "What river is that?")  # both start with "what"; both are places
    2.0
    >>> sorted(kernel.fit(["What city is this?"]).get_feature_names_out())
    ['asks what', 'asks what: city', 'focus city', 'kind of focus: city', 'kind of focus: place']
    """

    def __init__(
        self,
        parts: tuple[str, ...] = ("question", "focus", "kinds"),
        wordnet: str | WordNet | None = None,
        normalize: bool = True,
        on: str | None = None,
    ):
        self.parts = parts
        self.wordnet = wordnet
        self.normalize = normalize
        self.on = on

    def check_pattern(self) -> Pattern:
        """Return single features: they are the tokens of what `read_items` returns."""
        return Pattern(1, 0, 1.0)

    def read_items(self, X: Items) -> Tokens:
        """Return the features of each text, as tokens."""
        if isinstance(self.parts, str) or not len(self.parts) or not set(self.parts) <= set(PARTS):
            raise InputError(f"parts={self.parts!r}: give a tuple of names out of {', '.join(PARTS)}")
        if isinstance(X, Tokens) and self.on is None:
            texts = X if X.forms is None else X.forms
        else:
            found = Tokens.from_texts(select_texts(materialize_items(X), self.on), None, with_forms=True)
            texts = found if found.forms is None else found.forms
        wordnet = self.wordnet if isinstance(self.wordnet, WordNet) else find_wordnet(self.wordnet)
        kinds = lru_cache(maxsize=None)(lambda word, pos="n": list_kinds(word, wordnet, pos))
        rows = []
        for words in texts:
            focus = find_focus(words, wordnet)
            others = {word.casefold() for word in words} - WITHOUT_KINDS
            features = {
                "question": [f"asks {focus.question}"],
                "form": [f"form: {form}" for form in describe_form(words)],
                "ending": [f"ends {ending}" for ending in describe_ending(words)],
            }
            if focus.word is not None:
                base = next((base for base, pos in list_base_forms(focus.word) if pos == "n"), focus.word)
                features["focus"] = [f"focus {base}", f"asks {focus.question}: {base}"]
                features["kinds"] = [f"kind of focus: {name}" for name in kinds(focus.word)]
            if "actions" in self.parts:
                features["actions"] = [
                    f"kind of action: {name}" for word in sorted(others) for name in kinds(word, "v")
                ]
            if "context" in self.parts:
                rest = sorted(others - {focus.word or ""})
                features["context"] = [f"kind of word: {name}" for word in rest for name in kinds(word)]
            listed = (feature for part in PARTS if part in self.parts for feature in features.get(part, ()))
            rows.append(list(dict.fromkeys(listed)))
        return Tokens.from_texts(rows)


ASKING = QUESTION_WORDS - {"name"}
SHORT_FORMS = {"whats": "what", "wat": "what", "hows": "how"}
YES_OR_NO = frozenset({"be", "do", "have", "can", "will", "should", "may", "might", "must", "shall"})
SUPERLATIVES = frozenset({"best", "most", "worst"})
COMPARATIVES = frozenset({"more", "better", "less", "worse", "than"})
SMALL_WORDS = ("or", "you", "i", "if", "should", "and")  # in their base form: "my" is "i"
MANY_CAPITALS = 0.7  # a larger share of content words with a capital is that of a title

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
    other = "yes or no" if words and words[0] in YES_OR_NO else "nothing"
    asks = next((word for word in words if word in ASKING), other)
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
        found.append("capitals: " + ("many" if share > MANY_CAPITALS else "some" if share else "none"))
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
