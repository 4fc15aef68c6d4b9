"""Printed output against what a page shows.

In a page, ``…`` stands for any characters of a line, and a line that is only ``…`` for any number of lines. A number
with decimals may differ by one in its last digit, because the last digits of a sum depend on the processor; a share in
per cent, which is counted, may not.
"""

import re

REST = "…"
NUMBER = r"[+-]?\d+\.\d+"
VARYING = (  # what differs from run to run, and what an updated page has in its place
    (r"(?<=in )\d+(\.\d+)? s\b", f"{REST} s"),
    (r"\d+(\.\d+)? s(?= |$)", f"{REST} s"),
    (r"(?<=\()\d[\d.]* (bytes|kB|MB)(?=\))", REST),
    (r"(?<=\.\d{3})\d{5,}", REST),  # all digits of a float
)


def is_line_equal(shown: str, printed: str) -> bool:
    """Tell whether a printed line is the one that is shown.

    >>> is_line_equal("read 5 pairs, in … s", "read 5 pairs, in 0.13 s"), is_line_equal("0.131", "0.132")
    (True, True)
    >>> is_line_equal("0.13", "0.15"), is_line_equal("2 pairs", "3 pairs"), is_line_equal("94.7%", "94.8%")
    (False, False, False)
    >>> is_line_equal("0.345…", "0.345678"), is_line_equal("p = 0.345…", "p = 0.346678")
    (True, False)
    """
    shown, printed = shown.rstrip(), printed.rstrip()
    if shown == printed:
        return True
    parts = re.split(f"({NUMBER}(?![\\d{REST}]| ?%)|{REST})", shown)
    special = parts[1::2]  # numbers and rests; the other parts stand for themselves
    numbers = [part for part in special if part != REST]
    parts[1::2] = [".*?" if part == REST else f"({NUMBER})" for part in special]
    pattern = "".join(part if n % 2 else re.escape(part) for n, part in enumerate(parts))
    match = re.fullmatch(pattern, printed)
    return match is not None and all(_are_close(one, other) for one, other in zip(numbers, match.groups()))


def _are_close(shown: str, printed: str) -> bool:
    digits = len(shown.partition(".")[2])
    return len(printed.partition(".")[2]) == digits and abs(float(shown) - float(printed)) < 1.5 * 10**-digits


def is_equal(shown: list[str], printed: list[str]) -> bool:
    """Tell whether printed lines are those that are shown.

    >>> is_equal(["a", "…", "d"], ["a", "b", "c", "d"]), is_equal(["a", "…", "d"], ["a", "b"])
    (True, False)
    """
    shown, printed = strip_ends(shown), strip_ends(printed)
    reached = {0}  # how many printed lines the shown ones so far may stand for
    for line in shown:
        if line.strip() == REST:
            reached = set(range(min(reached, default=len(printed) + 1), len(printed) + 1))
        else:
            reached = {n + 1 for n in reached if n < len(printed) and is_line_equal(line, printed[n])}
    return len(printed) in reached


def merge_lines(shown: list[str], printed: list[str]) -> list[str]:
    """Return the printed lines as a page should show them: lines that are right stay as they are shown.

    >>> merge_lines(["took … s", "2 pairs"], ["took 1.5 s", "3 pairs"])
    ['took … s', '3 pairs']
    >>> merge_lines(["a", "…", "d", "e"], ["a", "b", "c", "d", "f"])
    ['a', '…', 'd', 'f']
    >>> merge_lines(["a", "…", "5 lines"], ["a", "b", "c", "4 lines"])
    ['a', '…', '4 lines']
    """
    shown, printed = strip_ends(shown), strip_ends(printed)
    if is_equal(shown, printed):
        return shown
    merged: list[str] = []
    i = j = 0
    for next_i, next_j in [*_match_lines(shown, printed), (len(shown), len(printed))]:
        wrong, right = shown[i:next_i], [hide_varying(line) for line in printed[j:next_j]]
        rests = [n for n, line in enumerate(wrong) if line.strip() == REST]
        if rests:  # as many lines before and after it as there were
            after = max(len(right) - (len(wrong) - 1 - rests[-1]), rests[0])
            right[rests[0] : after] = [REST]
        merged += right
        merged += shown[next_i : next_i + 1]
        i, j = next_i + 1, next_j + 1
    return merged


def _match_lines(shown: list[str], printed: list[str]) -> list[tuple[int, int]]:
    """Match as many lines as possible, in order: the longest common subsequence."""
    n, m = len(shown), len(printed)
    equal = [[line.strip() != REST and is_line_equal(line, other) for other in printed] for line in shown]
    length = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            length[i][j] = 1 + length[i + 1][j + 1] if equal[i][j] else max(length[i + 1][j], length[i][j + 1])
    matches = []
    i = j = 0
    while i < n and j < m:
        if equal[i][j]:
            matches.append((i, j))
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    return matches


def hide_varying(line: str) -> str:
    """Put ``…`` in place of times and sizes of files.

    >>> hide_varying("model     first.rekern (50 kB), in 0.38 s")
    'model     first.rekern (…), in … s'
    """
    for pattern, replacement in VARYING:
        line = re.sub(pattern, replacement, line)
    return line.rstrip()


def strip_ends(lines: list[str]) -> list[str]:
    """Drop empty lines at both ends, and blanks at the ends of lines."""
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return [line.rstrip() for line in lines[first:last]]
