"""WordNet: synsets with their words, definitions and hypernyms, and similarities of words.

WordNet is read from the table ``synsets.tsv.gz`` and the optional table ``antonyms.tsv.gz``, or by the ``wn`` library.
"""

from __future__ import annotations

import csv
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, offsets_of
from rekern.core.files import show_path
from rekern.core.text_files import iterate_lines, write_lines
from rekern.errors import InputError, MissingDataError, missing_extra
from rekern.similarity.lexicons.base_forms import list_base_forms
from rekern.similarity.lexicons.wordnet_core import carry_up, order_upward

__all__ = ["WordNet", "find_wordnet"]

COLUMNS = ("synset", "pos", "members", "hypernym", "instance_hypernym", "definition")
FOLDER = "oewn"
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


class _Synset(NamedTuple):
    name: str
    pos: str
    members: list[str]
    above: list[str]
    definition: str


class WordNet:
    """A WordNet as flat arrays.

    Synset ``i`` has ``names[i]``, ``pos[i]``, ``members[i]`` and ``definitions[i]``. The synsets above it are its
    hypernyms and instance hypernyms, ``above[starts[i]:starts[i + 1]]``.

    The *information content* of a synset is −ln p, where p is the share of the words in all definitions (of its part of
    speech) that mean this synset or one below it. A word with n synsets counts 1/n for each, and 1 is added to every
    synset, so that p is never 0. The *Resnik similarity* of two words is the information content of the most
    informative synset that is equal to or above a synset of both. Only nouns and verbs have synsets above them.

    >>> wordnet = WordNet.from_synsets([("1", "n", ["animal"], [], "it lives"), ("2", "n", ["dog"], ["1"], "it barks"),
    ...                                 ("3", "n", ["cat"], ["1"], "an animal that mews"), ("4", "n", ["car"], [], "")])
    >>> round(wordnet.resnik("dogs", "cat"), 4), wordnet.resnik("dog", "car")  # −ln of 4/5: one gloss has "animal"
    (0.2231, 0.0)
    """

    def __init__(self, synsets: list[_Synset], antonyms: Iterable[tuple[str, str]] = ()):
        number = {synset.name: place for place, synset in enumerate(synsets)}
        self.names = [synset.name for synset in synsets]
        self.pos = ["a" if synset.pos == "s" else synset.pos for synset in synsets]
        self.members = [synset.members for synset in synsets]
        self.definitions = [synset.definition for synset in synsets]
        above = [[number[name] for name in dict.fromkeys(synset.above) if name in number] for synset in synsets]
        self.starts = offsets_of([len(names) for names in above])
        self.above = np.array([place for names in above for place in names], np.int64)
        self._of_lemma: dict[str, list[int]] = defaultdict(list)
        for place, names in enumerate(self.members):
            for name in dict.fromkeys(map(_fold, names)):
                self._of_lemma[name].append(place)
        self._of_lemma.default_factory = None
        self.antonyms = {frozenset((_fold(one), _fold(other))) for one, other in antonyms}
        self._order = order_upward(self.starts, self.above)
        if len(self._order) < len(synsets):
            raise InputError("the hypernyms of the synsets have a cycle; remove it")
        self._ancestors_of: dict[str, Ints] = {}

    @classmethod
    def from_synsets(cls, synsets: Iterable[tuple[str, str, list[str], list[str], str]]) -> WordNet:
        """Build a WordNet from tuples: name, part of speech, members, names of the synsets above, definition.

        >>> WordNet.from_synsets([("1", "n", ["dog", "domestic dog"], [], "it barks")])
        WordNet(1 synsets, 2 words)
        """
        return cls([_Synset(*synset) for synset in synsets])

    @classmethod
    def from_tables(cls, folder: str | Path) -> WordNet:
        """Read a WordNet from a folder with ``synsets.tsv`` and optionally ``antonyms.tsv``, plain or gzipped.

        The columns of the first are ``synset pos members hypernym instance_hypernym definition``, with lists joined by
        ``|``; other columns are ignored. The columns of the second are ``lemma1 lemma2``.
        """
        path = _find_table(folder, "synsets")
        if path is None:
            raise MissingDataError(
                f"{show_path(folder)}: there is no synsets.tsv (or .gz) in it; name the folder that has it"
            )
        synsets = []
        for row in _read_rows(path, COLUMNS):
            lists = [[item for item in row[name].split("|") if item] for name in COLUMNS[2:5]]
            synsets.append(_Synset(row["synset"], row["pos"], lists[0], lists[1] + lists[2], row["definition"]))
        opposites = _find_table(folder, "antonyms")
        pairs = (
            []
            if opposites is None
            else [(r["lemma1"], r["lemma2"]) for r in _read_rows(opposites, ("lemma1", "lemma2"))]
        )
        if not synsets:
            raise InputError("there are no synsets in it", file=show_path(path))
        return cls(synsets, pairs)

    @classmethod
    def from_wn(cls, lexicon: str | None = None) -> WordNet:
        """Read a WordNet that the ``wn`` library (extra ``wordnet``) has downloaded, such as ``oewn:2024``.

        This is slow, because each synset is read from a database. To read it faster later, ``save`` it to a folder.
        """
        try:
            import wn
        except ImportError:
            raise missing_extra("wn", "wordnet") from None
        try:
            source = wn.Wordnet(lexicon) if lexicon else wn.Wordnet(lang="en")
            synsets = [
                _Synset(
                    synset.id,
                    synset.pos,
                    synset.lemmas(),
                    [other.id for other in synset.get_related("hypernym", "instance_hypernym")],
                    synset.definition() or "",
                )
                for synset in source.synsets()
            ]
            antonyms = [
                (sense.word().lemma(), other.word().lemma())
                for sense in source.senses()
                for other in sense.get_related("antonym")
            ]
        except wn.Error:
            synsets = []
        if not synsets:
            raise MissingDataError(
                f"wn has no lexicon {lexicon or 'for English'}: get one with wn.download('oewn:2024')"
            )
        return cls(synsets, antonyms)

    def save(self, folder: str | Path) -> None:
        """Write the tables that ``from_tables`` reads into a folder, which must exist.

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     WordNet.from_synsets([("1", "n", ["dog"], [], "it barks")]).save(folder)
        ...     WordNet.from_tables(folder)
        WordNet(1 synsets, 1 words)
        """
        above = [self.above[a:b].tolist() for a, b in zip(self.starts[:-1].tolist(), self.starts[1:].tolist())]
        rows: list[tuple[str, ...]] = [
            (
                name,
                pos,
                "|".join(members),
                "|".join(self.names[place] for place in places),
                "",
                " ".join(definition.split()),
            )
            for name, pos, members, places, definition in zip(
                self.names, self.pos, self.members, above, self.definitions
            )
        ]
        _write_table(Path(folder, "synsets.tsv.gz"), COLUMNS, rows)
        pairs = sorted(tuple(sorted(pair)) for pair in self.antonyms if len(pair) == 2)
        _write_table(Path(folder, "antonyms.tsv.gz"), ("lemma1", "lemma2"), pairs)

    def __repr__(self) -> str:
        return f"WordNet({len(self.names):,} synsets, {len(self._of_lemma):,} words)"

    def lemmas(self, form: str) -> list[str]:
        """Return the lemmas of a word form: the form itself and its base forms, if they are in WordNet.

        >>> WordNet.from_synsets([("1", "n", ["dog"], [], ""), ("2", "v", ["go"], [], "")]).lemmas("Dogs")
        ['dog']
        """
        return [lemma for lemma, _ in self._list_readings(form)]

    def _list_readings(self, form: str) -> list[tuple[str, str]]:
        """Return the lemmas of a form, each with its part of speech, or "" if all parts of speech are possible."""
        folded = _fold(form)
        found = [(folded, "")] if folded in self._of_lemma else []
        for lemma, pos in list_base_forms(folded):
            places = self._of_lemma.get(lemma, ())
            if lemma != folded and any(self.pos[place] == pos for place in places):
                found.append((lemma, pos))
        return found

    def synsets(self, form: str, pos: str = "") -> list[int]:
        """Return the numbers of the synsets of a word form, for one part of speech (n, v, a, r) or for all.

        >>> wordnet = WordNet.from_synsets([("1", "n", ["run"], [], ""), ("2", "v", ["run"], [], "")])
        >>> wordnet.synsets("ran"), wordnet.synsets("run"), wordnet.synsets("run", "n")
        ([1], [0, 1], [0])
        """
        found = dict.fromkeys(
            place
            for lemma, of in self._list_readings(form)
            for place in self._of_lemma[lemma]
            if (not of or self.pos[place] == of) and (not pos or self.pos[place] == pos)
        )
        return list(found)

    @cached_property
    def information(self) -> Floats:
        """The information content of every synset."""
        counts = np.ones(len(self.names))
        known: dict[str, list[int]] = {}
        for definition in self.definitions:
            for word in _WORD.findall(definition.casefold()):
                places = known.get(word)
                if places is None:
                    places = known[word] = self.synsets(word)
                for place in places:
                    counts[place] += 1 / len(places)
        totals = dict.fromkeys(self.pos, 0.0)
        for place, pos in enumerate(self.pos):
            totals[pos] += counts[place]
        cumulative = carry_up(counts, self._order, self.starts, self.above)
        shares = cumulative / np.array([totals[pos] for pos in self.pos])
        content: Floats = -np.log(np.minimum(shares, 1.0)) + 0.0  # + 0.0: no negative zero
        return content

    @cached_property
    def _ranks(self) -> tuple[Ints, Floats]:
        """The rank of every synset, the most informative first, and the information contents in this order."""
        order = np.argsort(-self.information, kind="stable")
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        return ranks, self.information[order]

    def ancestors(self, form: str, pos: str = "") -> Ints:
        """Return the ranks of the synsets of a word and of all synsets above them, the most informative first.

        The first rank that two words have in common is the synset that determines their Resnik similarity.
        """
        key = f"{pos}\t{form}"
        found = self._ancestors_of.get(key)
        if found is None:
            todo = [place for place in self.synsets(form, pos) if self.pos[place] in "nv"]
            seen = set(todo)
            while todo:
                place = todo.pop()
                for above in self.above[self.starts[place] : self.starts[place + 1]].tolist():
                    if above not in seen:
                        seen.add(above)
                        todo.append(above)
            found = self._ancestors_of[key] = np.sort(self._ranks[0][list(seen)]) if seen else np.empty(0, np.int64)
        return found

    @property
    def by_rank(self) -> Floats:
        """The information contents of all synsets in the order of their ranks."""
        return self._ranks[1]

    def resnik(self, word: str, other: str) -> float:
        """Return the Resnik similarity of two words; 0 if no synset is above both."""
        common = np.intersect1d(self.ancestors(word), self.ancestors(other))
        return float(self.by_rank[common[0]]) if len(common) else 0.0

    def generalization(self, form: str) -> str | None:
        """Return a more general word for a noun: the first member of the hypernym of its most common sense.

        The most common sense is the one with the lowest information content among those that have a hypernym. If it has
        several hypernyms, the most informative one is used, or the first of equal ones. The result is None if the word
        is not a noun or has no hypernym.

        >>> synsets = [("1", "n", ["animal"], [], ""), ("2", "n", ["dog"], ["1"], "")]
        >>> WordNet.from_synsets(synsets).generalization("dogs")
        'animal'
        """
        senses = [place for place in self.synsets(form, "n") if self.starts[place] < self.starts[place + 1]]
        if not senses:
            return None
        best = min(senses, key=lambda place: (self.information[place], place))
        hypernyms = self.above[self.starts[best] : self.starts[best + 1]].tolist()
        above = min(hypernyms, key=lambda place: (-self.information[place], place))
        return self.members[above][0] if self.members[above] else None

    def documents(self) -> Iterator[str]:
        """Return an iterator over a text for every synset, made of its members and its definition."""
        return (f"{' , '.join(names)} : {text}" for names, text in zip(self.members, self.definitions))


def find_wordnet(place: str | None = None) -> WordNet:
    """Return the WordNet of a folder, or of the ``wn`` library if ``place`` is such as ``wn:oewn:2024``.

    By default it is the folder ``oewn`` in the folder that the environment variable ``REKERN_DATA`` names, or else the
    English lexicon of ``wn``. A process reads it only once.

    >>> find_wordnet("no such folder")
    Traceback (most recent call last):
    ...
    rekern.errors.MissingDataError: no such folder: there is no synsets.tsv (or .gz) in it; name the folder that has it
    """
    if place is None:
        data = os.environ.get("REKERN_DATA")
        folder = os.path.join(data, FOLDER) if data else None
        if folder is None or _find_table(folder, "synsets") is None:
            return _load_default_wn(folder)
        place = folder
    if place.startswith("wn:"):
        return _load_wn(place[3:] or None)
    # A folder that was deleted is an error, even if its tables are still cached.
    return (
        WordNet.from_tables(place) if _find_table(place, "synsets") is None else _load_tables(os.path.realpath(place))
    )


def _load_default_wn(folder: str | None) -> WordNet:
    try:
        return _load_wn(None)
    except (ImportError, InputError):
        absent = f", and there is none in {show_path(folder)}" if folder else ""
        raise MissingDataError(
            f"these scores need WordNet{absent}: give its folder (wordnet=...), "
            "or the folder that contains oewn (REKERN_DATA), "
            'or pip install "rekern[wordnet]" and wn.download("oewn:2024")'
        ) from None


@lru_cache(maxsize=4)
def _load_tables(folder: str) -> WordNet:
    return WordNet.from_tables(folder)


@lru_cache(maxsize=4)
def _load_wn(lexicon: str | None) -> WordNet:
    return WordNet.from_wn(lexicon)


def _fold(word: str) -> str:
    return word.casefold().replace("_", " ")


def _find_table(folder: str | Path, name: str) -> Path | None:
    for path in (Path(folder, f"{name}.tsv"), Path(folder, f"{name}.tsv.gz")):
        if os.path.isfile(path):  # False also for a name that no file can have
            return path
    return None


def _read_rows(path: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    name = show_path(path)
    line = 1
    try:
        reader = csv.DictReader(iterate_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE)
        missing = [column for column in columns if column not in (reader.fieldnames or ())]
        if missing:
            raise InputError(f"there is no column {missing[0]!r}", file=name, row=1, unit="line")
        for line, row in enumerate(reader, 2):
            if any(row[column] is None for column in columns):
                reason = "it has too few columns; the file is truncated or damaged"
                raise InputError(reason, file=name, row=line, unit="line")
            yield row
    except csv.Error as error:
        raise InputError(f"{error}; the file is damaged", file=name, row=line, unit="after line") from None


def _write_table(path: Path, columns: tuple[str, ...], rows: Iterable[Iterable[str]]) -> None:
    write_lines(path, ("\t".join(row) for row in (columns, *rows)))
