"""WASP's files: grammars with lines such as ``*n:State -> ({ next_to_1 ( *n:State ) })``, and lists of entity names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rekern.core.model_limits import DEFAULT_LIMITS
from rekern.core.text_files import read_text
from rekern.errors import InputError
from rekern.krisp.grammar import Grammar
from rekern.krisp.grammar_checks import PlacedProduction, check_productions
from rekern.krisp.productions import AGAIN, Production, fill_name


def read_wasp_grammar(source: str | Path | Sequence[str]) -> Grammar:
    """Read the grammar in a file in WASP's format, or in a list of lines.

    >>> read_wasp_grammar(["*n:Q -> ({ answer ( *n:S ) })", "*n:S -> ({ ' tx ' })"]).productions[0].slots
    ('S',)
    """
    lines = read_text(source).split("\n") if isinstance(source, str | Path) else source
    placed = read_wasp_productions(lines)
    start = find_start([production for _, production in placed])
    check_productions(placed, start, DEFAULT_LIMITS)
    return Grammar(start, tuple(replace(production, number=n) for n, (_, production) in enumerate(placed)))


def rewrite_production(line: str) -> str:
    """A production of WASP in the notation of `rekern.krisp.Grammar.parse`.

    >>> rewrite_production("*n:State -> ({ next_to_1 ( *n:State ) })"), rewrite_production("*n:P -> ({ *^:P })")
    ('State -> next_to_1 ( {State} )', 'P -> {again}')
    """
    left, _, right = line.partition("->")
    words = right.strip()[2 : right.strip().rindex("})")].split()
    escaped = [word.replace("{", "{{").replace("}", "}}") for word in words]
    parts = [f"{{{word[3:]}}}" if word.startswith("*n:") else word for word in escaped]
    return f"{left.strip().removeprefix('*n:')} -> {'{again}' if words[0].startswith('*^:') else ' '.join(parts)}"


def read_wasp_productions(lines: Sequence[str]) -> list[PlacedProduction]:
    """Read the productions of a grammar in WASP's format.

    >>> str(read_wasp_productions(["*n:State -> ({ next_to_1 ( *n:State ) })"])[0].production)
    'State -> next_to_1({State})'
    """
    found = []
    lisp = any(re.search(r"->\s*\(\{\s*\(", line) for line in lines)
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        begin = re.match(r"\s*\*n:(\w+)\s*->\s*\(\{\s", line)
        end = _find_end(line) if begin else -1
        words = line[begin.end() : end - 1].split() if begin and end > begin.end() else []
        if not begin or not words:
            reason = "this is not a production of the form '*n:Left -> ({ right })'"
            raise InputError(reason, row=number, unit="line")
        if words[0] == f"*^:{begin[1]}" and len(words) == 1:
            found.append(PlacedProduction(number, Production(0, begin[1], ("", ""), kind=AGAIN)))
            continue
        silent = "zero-fertility" in line[end:]
        found.append(PlacedProduction(number, replace(_read_production(begin[1], words, lisp), silent=silent)))
    return found


def _find_end(line: str) -> int:
    """The place of the last ``})`` that stands alone, -1 if there is none; one search, unlike a regular expression."""
    end = line.rfind("})")
    while end >= 0 and not (line[end - 1 : end].isspace() and (end + 2 == len(line) or line[end + 2].isspace())):
        end = line.rfind("})", 0, end)
    return end


def find_start(productions: Sequence[Production]) -> str:
    """The only non-terminal that no other one uses.

    >>> find_start([Production(0, "Query", ("", ""), ("State",)), Production(1, "State", ("all",))])
    'Query'
    """
    used = {slot for p in productions for slot in p.slots if slot != p.left}
    tops = list(dict.fromkeys(p.left for p in productions if p.left not in used))
    if len(tops) != 1:
        listed = ", ".join(tops[:5]) or "none"
        raise InputError(f"give the start symbol; {listed} could be it", row=1, unit="line")
    return tops[0]


def read_phrases(
    grammar: Grammar, lines: Iterable[str], also: Mapping[str, Mapping[str, str]] | None = None
) -> Grammar:
    """Add the phrases of WASP's list of entity names to the names of a grammar.

    A phrase that is no name of its non-terminal is looked up in ``also[non-terminal]``, which gives the name that it
    stands for. Other phrases are left out.

    >>> grammar = read_wasp_grammar(["*n:Q -> ({ *n:S })", "*n:S -> ({ ' tx ' })"])
    >>> read_phrases(grammar, ["*n:S -> ({ texas })"], {"S": {"texas": "tx"}}).productions[1].phrases
    ('tx', 'texas')
    """
    phrases: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        match = re.fullmatch(r"\s*\*n:(\w+)\s*->\s*\(\{(.*)\}\)\s*", line)
        if match:
            left, phrase = match[1], " ".join(match[2].split())
            value = (also or {}).get(left, {}).get(phrase, phrase)
            phrases.setdefault((left, value), []).append(phrase)
    changed = [
        replace(p, phrases=tuple(dict.fromkeys([*p.phrases, *phrases.get((p.left, p.value or ""), [])])))
        if p.kind == "name"
        else p
        for p in grammar.productions
    ]
    return replace(grammar, productions=tuple(changed))


def _read_production(left: str, words: list[str], lisp: bool) -> Production:
    """A production from WASP's tokens; blanks are inserted where its meanings have them."""
    pieces: list[list[str]] = [[]]
    slots: list[str] = []
    quoted = False
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        opened = before in "({" or (before in ("'", '"') and quoted)
        if word in ("'", '"'):
            quoted = not quoted
        closing = word in ")}," or (word in ("'", '"') and not quoted)
        call = not lisp and word == "("
        gap = " " if before and not opened and not closing and not call else ""
        if word.startswith("*n:"):
            pieces[-1].append(gap)
            slots.append(word[3:])
            pieces.append([])
        elif word.startswith("*t:"):
            kind = "identifier" if word == "*t:Ident" else "number"
            return Production(0, left, ("", ""), (), kind=kind)
        else:
            pieces[-1] += (gap, word)
    if not slots and words[0] == words[-1] == "'":
        name = " ".join(words[1:-1])
        return fill_name(Production(0, left, ("'", "'")), name)
    return Production(0, left, tuple(map("".join, pieces)), tuple(slots))
