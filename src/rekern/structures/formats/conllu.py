"""CoNLL-U: ten columns a word, a blank line after each sentence; multiword tokens and empty nodes are skipped.

>>> text = "1\\tGo\\tgo\\tVERB\\tVB\\t_\\t0\\troot\\t_\\t_\\n2\\thome\\thome\\tADV\\tRB\\t_\\t1\\tadvmod\\t_\\t_\\n"
>>> from_conllu(text)[0].heads
(-1, 0)
>>> to_conllu(from_conllu(text)).splitlines()[0].replace("\\t", " ")
'1 Go go _ VB _ 0 root _ _'
"""

import os
import re
from collections.abc import Iterable

from rekern.core.text_files import write_lines
from rekern.errors import InputError
from rekern.structures.formats.format_detection import CONLLU, parse_file
from rekern.structures.sentences import HeadFault, Sentence, check_sentences, find_head_fault
from rekern.structures.stemmer import stem

__all__ = ["from_conllu", "read_conllu", "to_conllu", "write_conllu"]

_NONE = "_"
_RANGE_OR_EMPTY = re.compile(r"[1-9]\d*-[1-9]\d*$|\d+\.[1-9]\d*$")


def read_conllu(path: str | os.PathLike[str]) -> list[Sentence]:
    """Read the sentences of a CoNLL-U file, which may be gzip-compressed.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_conllu(f"{folder}/go.conllu", [Sentence(("Go",), ("go",), ("VB",), (-1,), ("root",))])
    ...     read_conllu(f"{folder}/go.conllu")
    [Sentence(words=('Go',), lemmas=('go',), tags=('VB',), heads=(-1,), relations=('root',))]
    """
    return parse_file(path, CONLLU, from_conllu)


def write_conllu(path: str | os.PathLike[str], sentences: Iterable[Sentence]) -> None:
    """Write sentences as CoNLL-U; tags are the column XPOS, and columns that a ``Sentence`` lacks are ``_``.

    >>> write_conllu("go.conllu", [Sentence(("",), ("go",), ("VB",), (-1,), ("root",))])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: sentence 0, word 0: '' is empty; CoNLL-U cannot hold it
    """
    write_lines(path, to_conllu(sentences).split("\n")[:-1])


def from_conllu(text: str | Iterable[str]) -> list[Sentence]:
    """Read the sentences of a text in CoNLL-U, or of its lines.

    The tag of a word is its XPOS, or its UPOS if that is missing; a missing lemma is replaced by the stem. Comments,
    multiword tokens (``3-4``) and empty nodes (``5.1``) are skipped; the words of a multiword token are read.

    >>> from_conllu("1\\tGo\\tgo\\tVERB\\tVB\\t_\\t_\\troot\\t_\\t_\\n")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: line 1, sentence 1: 'Go' has no head; write 0 for the root, or the number of a word
    """
    lines = text.split("\n") if isinstance(text, str) else text
    sentences: list[Sentence] = []
    rows: list[list[str]] = []
    places: list[int] = []
    number = 0
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r\n")
        if not line.strip():
            if rows:
                sentences.append(_make_sentence(rows, places, len(sentences) + 1))
                rows, places = [], []
        elif not line.startswith("#"):
            if "\r" in line:
                raise _locate(
                    "a carriage return within the line; end lines with line feeds", number, len(sentences) + 1
                )
            cells = line.split("\t")
            if len(cells) != 10:
                reason = f"{len(cells)} columns between tabs; CoNLL-U has 10"
                raise _locate(reason, number, len(sentences) + 1)
            if "" in cells:
                raise _locate("an empty column; write _ for nothing", number, len(sentences) + 1)
            if cells[0] == str(len(rows) + 1):
                rows.append(cells)
                places.append(number)
            elif not _RANGE_OR_EMPTY.match(cells[0]):
                reason = f"the word's number is {cells[0]!r}; the next one is {len(rows) + 1}"
                raise _locate(reason, number, len(sentences) + 1)
    if rows:
        sentences.append(_make_sentence(rows, places, len(sentences) + 1))
    return sentences


def _make_sentence(rows: list[list[str]], places: list[int], number: int) -> Sentence:
    heads = []
    for row, line in zip(rows, places):
        if not re.match(r"\d{1,9}$", row[6], re.ASCII):
            what = "has no head" if row[6] in (_NONE, "") else f"has the head {row[6]!r}"
            remedy = "write 0 for the root, or the number of a word"
            raise _locate(f"{row[1]!r} {what}; {remedy}", line, number)
        heads.append(int(row[6]) - 1)
    fault = find_head_fault(heads)
    if fault is not None:
        raise _locate(_describe_fault(fault, rows), places[max(fault.place, 0)], number)
    columns = list(zip(*rows))
    lemmas = [
        stem(word) if lemma == _NONE != word else lemma for word, lemma in zip(columns[1], columns[2])
    ]  # the lemma of an underscore is an underscore
    tags = [upos if xpos == _NONE else xpos for upos, xpos in zip(columns[3], columns[4])]
    return Sentence(columns[1], tuple(lemmas), tuple(tags), tuple(heads), columns[7])


def _describe_fault(fault: HeadFault, rows: list[list[str]]) -> str:
    """Say why heads form no tree; CoNLL-U counts words from 1, and the root has the head 0."""
    if fault.kind == "no root":
        return "no word is the root; one word needs the head 0"
    word, head = rows[fault.place][1], rows[fault.place][6]
    if fault.kind == "second root":
        return f"{word!r} is a second root; only one word has the head 0"
    if fault.kind == "cycle":
        return f"the heads of {word!r} lead back to it; a sentence has no cycle"
    return f"{word!r} has the head {head}, but the sentence has {len(rows)} words"


def _locate(reason: str, line: int, number: int) -> InputError:
    return InputError(reason, row=line, column=f"sentence {number}", unit="line")


def to_conllu(sentences: Iterable[Sentence]) -> str:
    """Return sentences as CoNLL-U text.

    >>> to_conllu([Sentence(("Go",), ("go",), ("VB",), (-1,), ("root",))])
    '1\\tGo\\tgo\\t_\\tVB\\t_\\t0\\troot\\t_\\t_\\n\\n'
    """
    lines = []
    for number, item in enumerate(check_sentences(sentences)):
        for place, (word, lemma, tag, head, relation) in enumerate(zip(*item)):
            for value in (word, lemma, tag, relation):
                if not value or re.search(r"[\t\r\n]", value):
                    what = "holds a tab or a line's end" if value else "is empty"
                    reason = f"{value!r} {what}; CoNLL-U cannot hold it"
                    raise InputError(reason, row=number, column=f"word {place}", unit="sentence")
            cells = (place + 1, word, lemma, _NONE, tag, _NONE, head + 1, relation, _NONE, _NONE)
            lines.append("\t".join(map(str, cells)) + "\n")
        lines.append("\n")
    return "".join(lines)
