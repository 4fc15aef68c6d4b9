"""Reading and checking the files of meaning grammars; `rekern.krisp.grammar` describes the format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from rekern.errors import InputError
from rekern.krisp.grammar import CLASSES, DEEPEST, Grammar, Production, named, short, tokens

_SLOT = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SYMBOL = re.compile(r"[A-Z]\w{0,99}")
SLOTS = 8  # of a production: the search tries all orders in which a sentence may fill them


@dataclass
class _File:
    """What the lines of a file say, before it is checked."""

    start: str | None = None
    start_line: int = 1
    lines: list[int] = field(default_factory=list)  # of the productions
    productions: list[Production] = field(default_factory=list)
    names: list[tuple[int, str, list[str]]] = field(default_factory=list)
    queries: dict[str, tuple[int, str]] = field(default_factory=dict)
    others: list[tuple[int, str, str, list[str]]] = field(default_factory=list)


def read_lines(lines: Sequence[str], start: str | None = None) -> Grammar:
    """The grammar in these lines; errors begin with the number of the line."""
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            raise InputError(f"line {number}: a NUL character; the file is damaged, or no text")
    wasp = any(line.lstrip().startswith("*n:") for line in lines)
    file = _read_wasp(lines) if wasp else _read_own(lines)
    if not file.productions:
        raise InputError("line 1: there are no productions in this grammar")
    if start is None:
        start = file.start or (_top(file.productions) if wasp else file.productions[0].left)
    return _checked(file, start)


def read_phrases(grammar: Grammar, lines: Iterable[str], also: dict[str, dict[str, str]] | None = None) -> Grammar:
    """The grammar with the phrases of WASP's list of entity names, which may be words for a name of the grammar.

    A phrase that is no name of its non-terminal is looked up in ``also[non-terminal]``, which gives the name it stands
    for; phrases that stand for nothing are left out.

    >>> from rekern.krisp.grammar import read_grammar
    >>> grammar = read_grammar(["*n:Q -> ({ *n:S })", "*n:S -> ({ ' tx ' })"])
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


def _read_own(lines: Sequence[str]) -> _File:
    file = _File()
    for number, line in _joined(lines):
        word, _, rest = line.partition(" ")
        if word == "start":
            if file.start is not None:
                raise InputError(f"line {number}: the start symbol stands in line {file.start_line} already")
            file.start, file.start_line = _symbol(rest.strip(), number), number
        elif word == "names":
            _read_names(file, rest, number)
        elif word == "also":
            _read_also(file, rest, number)
        elif "->" in line:
            left, _, right = line.partition("->")
            text, found, sql = right.partition(":=")
            production = _production(_symbol(left.strip(), number), text.strip(), number)
            if found and not sql.strip():
                raise InputError(f"line {number}: after := there must be SQL")
            file.lines.append(number)
            file.productions.append(replace(production, sql=sql.strip() if found else None))
        else:
            raise InputError(
                f"line {number}: this is neither a production (Left -> right) nor start, names or also: {line[:60]!r}"
            )
    return file


def _joined(lines: Sequence[str]) -> list[tuple[int, str]]:
    """The lines with their numbers: comments left out, continued lines joined."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0].isspace() and found:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        else:
            found.append((number, line.strip()))
    return found


def _symbol(text: str, number: int) -> str:
    if not _SYMBOL.fullmatch(text):
        raise InputError(f"line {number}: {text[:60]!r} is no non-terminal: a capital letter, then letters and digits")
    return text


def _production(left: str, text: str, number: int) -> Production:
    """A production of our format from its right side."""
    parts, slots = [""], []
    place = 0
    for match in _SLOT.finditer(text):
        parts[-1] += text[place : match.start()]
        place = match.end()
        if match[0] in ("{{", "}}"):
            parts[-1] += match[0][0]
        elif match[0] in ("{", "}"):
            raise InputError(f"line {number}: a single {match[0]!r}; write {match[0] * 2!r} for the sign itself")
        else:
            if match[1] not in CLASSES:
                _symbol(match[1], number)
            slots.append(match[1])
            parts.append("")
    parts[-1] += text[place:]
    if not text:
        raise InputError(f"line {number}: the right side of {left} is empty")
    kinds = [slot for slot in slots if slot in CLASSES]
    if kinds and len(slots) > 1:
        raise InputError(f"line {number}: {{{kinds[0]}}} must be the only slot of its production")
    if kinds:
        return Production(0, left, tuple(parts), (), kind=kinds[0])
    return Production(0, left, tuple(parts), tuple(slots))


def _read_names(file: _File, rest: str, number: int) -> None:
    left, equals, listed = rest.partition("=")
    if not equals:
        raise InputError(f"line {number}: names needs '= a | b' or ':= SELECT ...'")
    if left.endswith(":"):
        symbol = _symbol(left[:-1].strip(), number)
        if symbol in file.queries:
            raise InputError(f"line {number}: {symbol} has a query for its names in line {file.queries[symbol][0]}")
        file.queries[symbol] = (number, listed.strip())
    else:
        file.names.append((number, _symbol(left.strip(), number), _alternatives(listed)))


def _read_also(file: _File, rest: str, number: int) -> None:
    head, equals, listed = rest.partition("=")
    left, _, name = head.strip().partition(" ")
    if not equals or not name.strip():
        raise InputError(f"line {number}: write 'also NonTerminal name = phrase | phrase'")
    file.others.append((number, _symbol(left, number), " ".join(name.split()), _alternatives(listed)))


def _alternatives(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("|") if part.strip()]


def _read_wasp(lines: Sequence[str]) -> _File:
    file = _File()
    lisp = any(re.search(r"->\s*\(\{\s*\(", line) for line in lines)
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = re.fullmatch(r"\s*\*n:(\w+)\s*->\s*\(\{\s(.*\S.*)\s\}\)(\s.*)?", line)
        if not match:
            raise InputError(f"line {number}: this is no production of the form '*n:Left -> ({{ right }})'")
        words = match[2].split()
        if words[0].startswith("*^:"):  # a back-reference has no text of its own
            continue
        file.lines.append(number)
        silent = "zero-fertility" in (match[3] or "")
        file.productions.append(replace(_wasp_production(match[1], words, lisp), silent=silent))
    return file


def _wasp_production(left: str, words: list[str], lisp: bool) -> Production:
    """A production from WASP's tokens; blanks are put where its meanings have them."""
    parts, slots = [""], []
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
            parts[-1] += gap
            slots.append(word[3:])
            parts.append("")
        elif word.startswith("*t:"):
            kind = "identifier" if word == "*t:Ident" else "number"
            return Production(0, left, ("", ""), (), kind=kind)
        else:
            parts[-1] += gap + word
    if not slots and words[0] == words[-1] == "'":
        name = " ".join(words[1:-1])
        return named(Production(0, left, ("'", "'")), name)
    return Production(0, left, tuple(parts), tuple(slots))


def _top(productions: Sequence[Production]) -> str:
    """The only non-terminal that no other one uses."""
    used = {slot for p in productions for slot in p.slots if slot != p.left}
    tops = list(dict.fromkeys(p.left for p in productions if p.left not in used))
    if len(tops) != 1:
        raise InputError(f"line 1: give the start symbol; {', '.join(tops[:5]) or 'none'} could be it")
    return tops[0]


def _checked(file: _File, start: str) -> Grammar:
    """The grammar, after all checks."""
    productions, lines, templates = _with_listed_names(file)
    if not any(p.left == start for p in productions):
        raise InputError(f"line {file.start_line}: no production defines the start symbol {start}")
    where = list(zip(lines, productions))
    check_rules(where, start)
    seen: dict[tuple[str, tuple[tuple[str, bool], ...]], int] = {}
    for line, production in where:
        first = seen.setdefault((production.left, production.symbols), line)
        if first != line:
            raise InputError(f"line {line}: {short(production)} stands in line {first} already")
    kept = [production for production in productions if production.kind != "name" or production.value is not None]
    numbered = tuple(replace(p, number=i) for i, p in enumerate(kept))
    queries = {left: sql for left, (_, sql) in file.queries.items()}
    return Grammar(start, numbered, queries, templates)


def check_rules(where: list[tuple[int, Production]], start: str) -> None:
    """Refuse productions that use what nothing defines, that are of no use, or that never end; lines name the place.

    >>> check_rules([(7, Production(0, "Query", ("f(", ")"), ("State",)))], "Query")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: line 7: no production defines State, which Query -> f({State}) uses
    """
    defined = {production.left for _, production in where}
    if start not in defined:
        raise InputError(f"line {where[0][0] if where else 1}: no production defines the start symbol {short(start)}")
    for line, production in where:
        for slot in production.slots:
            if slot not in defined:
                raise InputError(f"line {line}: no production defines {slot}, which {short(production)} uses")
        if not production.symbols:
            raise InputError(f"line {line}: the right side of {short(production)} is empty")
        if len(production.slots) > SLOTS:
            raise InputError(f"line {line}: a production of {production.left} has more than {SLOTS} slots; split it")
    _check_reachable(where, start)
    _check_cycles(where)
    _check_finite(where)


def _with_listed_names(file: _File) -> tuple[list[Production], list[int], dict[str, Production]]:
    """The productions with those of ``{name}`` replaced by one for each name in the file.

    A production whose names are all in a database stays, to be checked with the others.
    """
    templates: dict[str, Production] = {}
    for line, production in zip(file.lines, file.productions):
        if production.kind == "name" and production.value is None:
            if production.left in templates:
                raise InputError(f"line {line}: {production.left} has a production with {{name}} already")
            templates[production.left] = production
    values: dict[str, dict[str, list[str]]] = {left: {} for left in templates}
    for number, left in [(n, s) for n, s, _ in file.names] + [(n, s) for s, (n, _) in file.queries.items()]:
        if left not in templates:
            raise InputError(f"line {number}: {left} has no production with {{name}}")
    for _, left, listed in file.names:
        for name in listed:
            values[left].setdefault(name, [])
    for number, left, name, phrases in file.others:
        if left not in templates:
            raise InputError(f"line {number}: {left} has no production with {{name}}")
        if name not in values[left] and left not in file.queries:
            raise InputError(f"line {number}: {name[:60]!r} is no name of {left}; add it to 'names {left} = ...'")
        values[left].setdefault(name, []).extend(phrases)
    productions: list[Production] = []
    lines: list[int] = []
    for line, production in zip(file.lines, file.productions):
        found = [production]
        if production.kind == "name" and production.value is None:
            found = [named(production, name, phrases) for name, phrases in values[production.left].items()]
            if not found and production.left not in file.queries:
                raise InputError(f"line {line}: {production.left} has no names; add 'names {production.left} = ...'")
            found = found or [production]
        productions += found
        lines += [line] * len(found)
    return productions, lines, templates


def _check_reachable(where: list[tuple[int, Production]], start: str) -> None:
    """Every production must be of use for some meaning that is not too deep."""
    slots: dict[str, set[str]] = {}
    for _, production in where:
        slots.setdefault(production.left, set()).update(production.slots)
    reached = {start}
    waiting = reached
    for _ in range(DEEPEST):
        waiting = {slot for left in waiting for slot in slots[left]} - reached
        reached = reached | waiting
    for line, production in where:
        if production.left not in reached:
            why = f"nothing that {start} leads to in {DEEPEST} steps uses it"
            raise InputError(f"line {line}: {short(production)} can never be used: {why}")


def _check_cycles(where: list[tuple[int, Production]]) -> None:
    """No non-terminal may derive itself alone: its meanings would have derivations without end."""
    chains: dict[str, list[tuple[int, Production]]] = {}
    for line, production in where:
        if len(production.slots) == 1 and not any(tokens(part) for part in production.parts):
            chains.setdefault(production.left, []).append((line, production))
    finished: set[str] = set()
    for top in chains:
        path: dict[str, list[tuple[int, Production]]] = {}  # from the top down, with what is left to look at
        waiting = [top]
        while waiting:
            left = waiting[-1]
            if left not in path:
                path[left] = list(chains.get(left, [])) if left not in finished else []
            if not path[left]:
                finished.add(waiting.pop())
                del path[left]
                continue
            line, production = path[left].pop()
            slot = production.slots[0]
            if slot in path:
                raise InputError(f"line {line}: {short(production)} closes a cycle: {slot} would derive itself")
            waiting.append(slot)


def _check_finite(where: list[tuple[int, Production]]) -> None:
    """Every non-terminal must derive something finite that is not too deep."""
    finite: set[str] = set()
    for _ in range(DEEPEST):
        more = {p.left for _, p in where if p.left not in finite and all(slot in finite for slot in p.slots)}
        if not more:
            break
        finite |= more
    for line, production in where:
        if production.left not in finite:
            remedy = f"{production.left} needs a production without itself"
            raise InputError(f"line {line}: {short(production)} never ends, or not within {DEEPEST} levels: {remedy}")
