"""The code blocks of a page, with the marks that stand before them.

A mark is an HTML comment in front of a block:

- ``<!-- file: pairs.tsv -->``: the block is a file; it is written into the folder of the page.
- ``<!-- needs: corpus msrp -->``, ``<!-- needs: module nltk -->``, ``<!-- needs: program java -->``,
  ``<!-- needs: variable REKERN_STANFORD_JAR -->``: the block runs only where this is there.
- ``<!-- slow -->``: the block runs only in ``make test-slow``.
- ``<!-- server -->``: the command of the block runs until the page ends, on any free port; the blocks after it reach it
  where the page says 127.0.0.1:8000.
- ``<!-- not run: reason -->``: the block is never run. Commands of Rekern in it are checked for their options.
- ``<!-- page not run: reason -->``: the same for all blocks that follow on the page.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^( *)(`{3,})([\w-]*)\s*$")
COMMENT = re.compile(r"^ *<!-- *(.*?) *-->\s*$")
MARKS = ("file", "needs", "slow", "server", "not run", "page not run")
PROGRAMS = ("rekern", "python", "pip", "make", "export", "curl", "svm-train", ".venv/bin/rekern")


@dataclass
class Block:
    """One fenced block: its language, its lines without the indentation, and the line of the page where they start."""

    language: str
    lines: list[str]
    start: int  # index of the first line of the content in the page
    indent: str = ""
    marks: dict[str, list[str]] = field(default_factory=dict)
    is_next: bool = False  # whether only empty lines are between the block before and this one

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def not_run(self) -> str | None:
        return self.marks["not run"][0] if "not run" in self.marks else None


def read_blocks(lines: list[str]) -> list[Block]:
    """Find the fenced blocks of a page.

    >>> page = ["<!-- needs: module nltk -->", "```python", "1 + 1", "```", "", "```text", "2", "```"]
    >>> [(block.language, block.lines, block.marks, block.is_next) for block in read_blocks(page)]
    [('python', ['1 + 1'], {'needs': ['module nltk']}, False), ('text', ['2'], {}, True)]
    """
    blocks: list[Block] = []
    marks: dict[str, list[str]] = {}
    of_page: dict[str, list[str]] = {}
    is_next = False
    position = 0
    while position < len(lines):
        line = lines[position]
        fence, comment = FENCE.match(line), COMMENT.match(line)
        if fence:
            end = position + 1
            while end < len(lines) and lines[end].strip() != fence[2]:
                end += 1
            content = [text.removeprefix(fence[1]) for text in lines[position + 1 : end]]
            blocks.append(Block(fence[3], content, position + 1, fence[1], of_page | marks, is_next))
            marks, is_next, position = {}, True, end
        elif comment and (found := re.match(rf"({'|'.join(MARKS)})\b:? *(.*)", comment[1])):
            if found[1] == "page not run":
                of_page = {"not run": [found[2]]}
            else:
                marks.setdefault(found[1], []).append(found[2])
        elif line.strip():
            marks, is_next = {}, False
        position += 1
    return blocks


def find_hidden_commands(lines: list[str]) -> list[tuple[int, str]]:
    """Find commands in indented blocks, which would never be run, and in fenced blocks of another language.

    >>> find_hidden_commands(["text", "", "    rekern demo", "", "    K(x, y)"])
    [(3, 'rekern demo')]
    """
    found = []
    fenced: str | None = None
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if fence:
            fenced = None if fenced is not None else fence[3] or "text"
            continue
        first = line.strip().removeprefix("$ ").split(" ")[0]
        is_command = first in PROGRAMS or line.strip().startswith("$ ")
        if is_command and (line.startswith("    ") if fenced is None else fenced in ("text", "bash", "sh", "shell")):
            found.append((number, line.strip()))
    return found


def list_pages(root: Path) -> list[Path]:
    """List README and all pages below docs/."""
    return [root / "README.md", *sorted(root.glob("docs/**/*.md"))]
