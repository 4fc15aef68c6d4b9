"""Run a page: its blocks share a namespace and a folder. What is wrong comes back as a list of problems."""

import doctest
import importlib.util
import io
import json
import os
import shutil
import traceback
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from pages.blocks import Block, find_hidden_commands, read_blocks
from pages.commands import check_line, run_line, serve_line
from pages.comparing import is_equal, merge_lines

WIDTH = "100"  # columns of the terminal whose output the pages show
ADDRESS = "127.0.0.1:8000"  # of the server of a page


@dataclass
class PageRun:
    """What came of running a page."""

    problems: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    edits: list[tuple[int, int, list[str]]] = field(default_factory=list)  # lines from, to, and what belongs there

    def compare(self, page: Path, shown: list[str], printed: str, start: int, indent: str, source: str) -> None:
        """Compare the output of some code with the lines that the page shows from line ``start`` on."""
        lines = printed.splitlines()
        if is_equal(shown, lines):
            return
        self.edits.append(
            (start, start + len(shown), [f"{indent}{line}".rstrip() for line in merge_lines(shown, lines)])
        )
        text = "\n".join(["the page shows", *_indent(shown), "but this is printed", *_indent(lines)])
        self.problems.append(f"{page}:{start + 1}: {source}\n{text}")

    def apply_edits(self, lines: list[str]) -> list[str]:
        """Return the lines of the page with the outputs that were printed."""
        lines = list(lines)
        for start, end, new in sorted(self.edits, reverse=True):
            lines[start:end] = new
        return lines


def run_page(page: Path, folder: Path, slow: bool = False) -> PageRun:
    """Run the blocks of a page in a folder; with ``slow`` also those that are marked slow."""
    lines = page.read_text(encoding="utf-8").splitlines()
    run = PageRun()
    run.problems += [
        f"{page}:{number}: a command outside a console block is never run: {line}"
        for number, line in find_hidden_commands(lines)
    ]
    blocks = read_blocks(lines)
    names: dict[str, object] = {"__name__": "__main__"}
    address = ADDRESS
    with _work_in(folder), ExitStack() as servers:
        for n, block in enumerate(blocks):
            following = blocks[n + 1] if n + 1 < len(blocks) and blocks[n + 1].is_next else None
            reason = find_obstacle(block, slow)
            if reason:
                run.skipped.append(f"{page}:{block.start}: {reason}")
                _check_block(page, block, run)
                continue
            block.lines = [line.replace(ADDRESS, address) for line in block.lines]
            if "server" in block.marks:
                ((command, _, _),) = split_commands(block)
                address = servers.enter_context(serve_line(command))
                continue
            for name in block.marks.get("file", []):
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).write_text(block.text, encoding="utf-8")
            if block.language == "python" and "file" not in block.marks:
                _run_python(page, block, following, names, run)
            elif block.language == "console":
                _run_console(page, block, run)
            elif block.language == "json":
                json.loads(block.text)
    return run


def find_obstacle(block: Block, slow: bool) -> str | None:
    """Return why a block cannot be run here, or None."""
    if block.not_run is not None:
        return f"not run: {block.not_run}"
    if "slow" in block.marks and not slow:
        return "slow"
    for need in block.marks.get("needs", []):
        kind, _, name = need.partition(" ")
        if kind == "module":
            is_there = importlib.util.find_spec(name) is not None
        elif kind == "program":
            is_there = shutil.which(name) is not None
        elif kind == "corpus":
            is_there = (Path(os.environ.get("REKERN_DATA", "/nowhere")) / name).exists()
        elif kind == "variable":
            is_there = bool(os.environ.get(name))
        else:
            raise ValueError(f"needs: {need}: say what it is: corpus, module, program or variable")
        if not is_there:
            return f"needs {need}"
    return None


def split_commands(block: Block) -> list[tuple[str, int, list[str]]]:
    """Split a console block into commands, each with the index of its first output line and its output.

    >>> split_commands(Block("console", ["$ echo a \\\\", "    b", "a b", "$ ls"], 0))
    [('echo a b', 2, ['a b']), ('ls', 4, [])]
    """
    commands: list[tuple[str, int, list[str]]] = []
    n = 0
    while n < len(block.lines):
        line = block.lines[n]
        if not line.startswith("$ "):
            raise ValueError(f"line {block.start + n + 1}: a console block starts with '$ '")
        command = line[2:]
        while command.endswith("\\"):
            n += 1
            command = command[:-1].rstrip() + " " + block.lines[n].strip()
        end = n + 1
        while end < len(block.lines) and not block.lines[end].startswith("$ "):
            end += 1
        shown = block.lines[n + 1 : end]
        while shown and not shown[-1].strip():  # empty lines between two commands
            shown.pop()
        commands.append((command, n + 1, shown))
        n = end
    return commands


def _check_block(page: Path, block: Block, run: PageRun) -> None:
    """Check what can be checked without running: Python compiles, Rekern's commands have these options."""
    if block.language == "python" and ">>>" not in block.text:
        compile(block.text, str(page), "exec")
    elif block.language == "console":
        for command, line, _ in split_commands(block):
            wrong = check_line(command)
            if wrong:
                run.problems.append(f"{page}:{block.start + line}: {command}\n{wrong}")


def _run_console(page: Path, block: Block, run: PageRun) -> None:
    for command, line, shown in split_commands(block):
        try:
            code, output = run_line(command)
        except Exception:
            run.problems.append(f"{page}:{block.start + line}: {command}\n{traceback.format_exc()}")
            continue
        if shown or code:  # a command that fails must show its message
            run.compare(page, shown, output, block.start + line, block.indent, f"{command} (exit code {code})")


def _run_python(page: Path, block: Block, following: Block | None, names: dict[str, object], run: PageRun) -> None:
    if ">>>" in block.text:
        _run_examples(page, block, names, run)
        return
    output = io.StringIO()
    try:
        with redirect_stdout(output), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(block.text, f"{page}:{block.start + 1}", "exec"), names)
    except Exception:
        run.problems.append(f"{page}:{block.start + 1}: {traceback.format_exc()}")
        return
    if following is not None and following.language == "text" and "file" not in following.marks:
        run.compare(page, following.lines, output.getvalue(), following.start, following.indent, "the block above")
    elif output.getvalue().strip():
        run.problems.append(f"{page}:{block.start}: no text block shows what is printed:\n{output.getvalue()}")


class _Examples(doctest.DocTestRunner):
    """Runs ``>>>`` examples and compares as everywhere on the pages."""

    def __init__(self, page: Path, block: Block, run: PageRun):
        super().__init__(verbose=False)
        self.page, self.block, self.run_of_page = page, block, run
        self._checker = self  # type: ignore[assignment]

    def check_output(self, want: str, got: str, flags: int) -> bool:
        return is_equal(want.splitlines(), got.splitlines())

    def report_failure(self, out, test, example, got) -> None:  # type: ignore[no-untyped-def]
        shown = example.want.splitlines()
        start = self.block.start + example.lineno + example.source.count("\n")
        indent = self.block.indent + " " * example.indent
        self.run_of_page.compare(self.page, shown, got, start, indent, example.source.strip())

    def report_unexpected_exception(self, out, test, example, exc_info) -> None:  # type: ignore[no-untyped-def]
        text = "".join(traceback.format_exception(*exc_info))
        line = self.block.start + example.lineno + 1
        self.run_of_page.problems.append(f"{self.page}:{line}: {example.source}{text}")


def _run_examples(page: Path, block: Block, names: dict[str, object], run: PageRun) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, {}, page.name, str(page), 0)
    test.globs = names
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _Examples(page, block, run).run(test, out=lambda text: None, clear_globs=False)


@contextmanager
def _work_in(folder: Path) -> Iterator[None]:
    """Work in a folder, with a cache of parses and models of its own, and a terminal of a fixed width."""
    where, environment = Path.cwd(), dict(os.environ)
    os.environ.update({"COLUMNS": WIDTH, "NO_COLOR": "1", "REKERN_CACHE": str(folder / ".cache")})
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(where)
        os.environ.clear()
        os.environ.update(environment)


def _indent(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
