"""What a question asks for: its question word, the word in focus, and the kinds of things that this word names.

The focus of "What Canadian city has the largest population?" is "city": the answer is a city. It is found by rules over
the words and by WordNet, without a parser. Silva et al. (2011) call it the head word.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from rekern.core.registry import register
from rekern.core.state_schema import COLUMN, Either, Flag, InstanceOf, Schema, Text, Texts, parameters
from rekern.errors import InputError
from rekern.kernels.kernel_items import Items, materialize_items
from rekern.kernels.strings.ngram_kernels import Pattern, PatternKernel
from rekern.questions.function_words import read_words
from rekern.similarity.lexicons.base_forms import list_base_forms
from rekern.similarity.lexicons.wordnet import WordNet, find_wordnet
from rekern.structures.column_selection import select_texts
from rekern.structures.tokens import Tokens

__all__ = ["Focus", "QuestionFocus", "find_focus"]


PARTS = ("question", "focus", "form", "ending", "kinds", "context", "actions")
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


@register
class QuestionFocus(PatternKernel):
    """What two questions ask for: the question word, the word in focus, and what kind of thing that is.

    The features have values of 0 or 1. Use it in a `TextClassifier` of questions, beside words and n-grams:
    ``Spectrum(1) + Spectrum(2) + QuestionFocus()``.

    Parameters
    ----------
    parts : tuple of str
        ``"question"`` is how the question asks ("what is", "how many"); ``"focus"`` the word in focus, alone and with
        the former; ``"form"`` how it begins, with names and other words by their kind ("who is Name ?");
        ``"ending"`` the last word and the last two ("called", "come from"); ``"kinds"`` are the kinds of things that
        WordNet has above the word in focus; ``"context"`` those above the other words; ``"actions"`` are the kinds of
        actions that WordNet has above the verbs ("publish" is a way to make).
    wordnet : str or WordNet, optional
        The folder of WordNet's tables, or ``"wn:"`` and a lexicon of the ``wn`` library, or a `WordNet`. By default it
        is searched in the folder that the environment variable ``REKERN_DATA`` names.
    normalize : bool
        Whether to divide by the roots of both self-similarities.
    on : str, optional
        The representation that has the text, if an item has several.

    Examples
    --------
    >>> synsets = [("1", "n", ["place"], [], ""), ("2", "n", ["city"], ["1"], ""), ("3", "n", ["river"], ["1"], "")]
    >>> kernel = QuestionFocus(wordnet=WordNet.from_synsets(synsets), normalize=False)
    >>> kernel("What city is this?", "What river is that?")  # both start with "what"; both are places
    2.0
    >>> sorted(kernel.fit(["What city is this?"]).get_feature_names_out())
    ['asks what', 'asks what: city', 'focus city', 'kind of focus: city', 'kind of focus: place']
    """

    schema = Schema(
        parameters(
            parts=Either(Texts(kind=tuple), Texts()),
            wordnet=Either(None, Text(), InstanceOf(WordNet)),
            normalize=Flag(),
            on=COLUMN,
        ),
        resources=("wordnet",),
    )

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

    def get_stored_params(self) -> dict[str, object]:
        """Return the parameters for a model file, which names nothing outside."""
        stored: dict[str, object] = self.get_params(deep=False)
        return {**stored, "wordnet": None if self.wordnet is None else "given"}

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
            found_in: list[str] = []
            if "question" in self.parts:
                found_in.append(f"asks {focus.question}")
            if "form" in self.parts:
                found_in += [f"form: {form}" for form in describe_form(words)]
            if "ending" in self.parts:
                found_in += [f"ends {ending}" for ending in describe_ending(words)]
            if focus.word is not None:
                base = find_base(focus.word)
                if "focus" in self.parts:
                    found_in += [f"focus {base}", f"asks {focus.question}: {base}"]
                if "kinds" in self.parts:
                    found_in += [f"kind of focus: {name}" for name in kinds(focus.word)]
            others = {word.casefold() for word in words} - WITHOUT_KINDS
            if "actions" in self.parts:
                found_in += [f"kind of action: {name}" for word in sorted(others) for name in kinds(word, "v")]
            if "context" in self.parts:
                for word in sorted(others - {focus.word or ""}):
                    found_in += [f"kind of word: {name}" for name in kinds(word)]
            rows.append(list(dict.fromkeys(found_in)))
        return Tokens.from_texts(rows)


def find_base(word: str) -> str:
    """Return the base form of a noun.

    >>> find_base("cities"), find_base("city")
    ('city', 'city')
    """
    return next((base for base, pos in list_base_forms(word) if pos == "n"), word)
