"""``pytest --workers N``: run the tests in processes that are forked when everything is imported and collected.

Workers that start from nothing, as those of pytest-xdist, import, instrument and collect all tests again, each of them.
All tests of a file run in one worker, one after the other.
"""

import builtins
import marshal
import os
import selectors
import shutil
import struct
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import pytest

try:
    import fcntl
except ImportError:  # Windows, where there is one worker
    fcntl = None  # type: ignore[assignment]

_NUMBER = struct.Struct("=I")
_SECONDS = "workers/seconds"
_WORKER = "worker"  # how the folder of a worker begins


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=1, help="number of processes that run the tests")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    config, workers = session.config, session.config.getoption("--workers")
    if workers < 2 or config.option.collectonly or session.testsfailed or not hasattr(os, "fork"):
        return None  # pytest's own loop
    files = [list(items) for _, items in groupby(session.items, key=lambda item: item.path)]
    # the longest first, so that in the end no worker is alone with one: by the time of the last run, else by number
    seconds = config.cache.get(_SECONDS, {}) if config.pluginmanager.hasplugin("cacheprovider") else {}
    files.sort(key=lambda items: seconds.get(_name_file(items[0].nodeid), 0.1 * len(items)), reverse=True)
    waiting, end = os.pipe()
    os.write(end, b"".join(map(_NUMBER.pack, range(len(files)))))
    os.close(end)
    folder = config._tmp_path_factory.getbasetemp()
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.suspend_global_capture()
    pipes: list[int] = []
    fork, leave = os.fork, os._exit  # a measurement of coverage has its own ones, which are not for what tests fork
    for number in range(workers):
        reader, writer = os.pipe()
        if fork() == 0:
            os.fork, os._exit = getattr(fork, "__wrapped__", fork), getattr(leave, "__wrapped__", leave)
            try:
                _run_tests(session, files, waiting, _Sender(config, writer), folder / f"{_WORKER}{number}")
            finally:
                leave(0)
        os.close(writer)
        pipes.append(reader)
    capture.resume_global_capture()
    seconds |= _show_reports(session, pipes, waiting)
    for _ in pipes:
        os.wait()
    if config.pluginmanager.hasplugin("cacheprovider"):
        config.cache.set(_SECONDS, seconds)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)
    return True


@contextmanager
def share_folder(factory: pytest.TempPathFactory, name: str) -> Iterator[tuple[Path, bool]]:
    """Yield a folder of all workers, and whether it is new: the first of them fills it, and the others wait."""
    base = factory.getbasetemp()
    base = base.parent if base.name.startswith(_WORKER) else base
    folder = base / f"shared {name}"
    with open(base / f"{name}.lock", "w") as lock:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        is_new = not folder.exists()
        folder.mkdir(exist_ok=True)
        try:
            yield folder, is_new
        except BaseException:
            shutil.rmtree(folder)  # the next worker tries again, and says what is wrong
            raise


class _Sender:
    """The plugin of a worker that sends what happens to the process which shows it."""

    def __init__(self, config: pytest.Config, pipe: int) -> None:
        self.config, self.pipe = config, pipe

    def send(self, kind: str, value: object) -> None:
        message = marshal.dumps((kind, value))
        data = memoryview(_NUMBER.pack(len(message)) + message)
        while data:
            data = data[os.write(self.pipe, data) :]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.send("test", nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.send("report", self.config.hook.pytest_report_to_serializable(config=self.config, report=report))

    def pytest_warning_recorded(self, warning_message, when, nodeid, location) -> None:
        warning = str(warning_message.message), warning_message.category.__name__
        self.send("warning", (*warning, warning_message.filename, warning_message.lineno, when, nodeid, location))


def _run_tests(
    session: pytest.Session, files: list[list[pytest.Item]], waiting: int, sender: _Sender, folder: Path
) -> None:
    """Run the tests of one file after the other, in a worker, until no file is waiting."""
    plugins = session.config.pluginmanager
    capture = plugins.getplugin("capturemanager")
    capture.stop_global_capturing()  # its file is shared with the other workers
    capture.start_global_capturing()
    folder.mkdir()
    session.config._tmp_path_factory._basetemp = folder
    plugins.unregister(plugins.getplugin("terminalreporter"))
    plugins.register(sender)
    items = _take_items(files, waiting)
    item = next(items, None)
    while item is not None and not session.shouldfail and not session.shouldstop:
        following = next(items, None)
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        item = following
    sender.send("test", None)


def _take_items(files: list[list[pytest.Item]], waiting: int) -> Iterator[pytest.Item]:
    while number := os.read(waiting, _NUMBER.size):
        yield from files[_NUMBER.unpack(number)[0]]


def _show_reports(session: pytest.Session, pipes: list[int], waiting: int) -> dict[str, float]:
    """Pass the reports of all workers to pytest, until all workers have ended; return the seconds of each file."""
    hook = session.config.hook
    seconds: Counter[str] = Counter()
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            selector.register(pipe, selectors.EVENT_READ)
        running: dict[int, str | None] = dict.fromkeys(pipes, "its first test")
        while selector.get_map():
            for key, _ in selector.select():
                head = _read(key.fd, _NUMBER.size)
                kind, value = marshal.loads(_read(key.fd, _NUMBER.unpack(head)[0])) if head else ("end", None)
                if kind == "test":
                    running[key.fd] = value
                elif kind == "report":
                    report = hook.pytest_report_from_serializable(config=session.config, data=value)
                    hook.pytest_runtest_logreport(report=report)
                    seconds[_name_file(report.nodeid)] += report.duration
                elif kind == "warning":
                    _show_warning(hook, *value)
                else:
                    selector.unregister(key.fd)
                    if name := running[key.fd]:
                        place = _name_file(name), None, name
                        report = pytest.TestReport(name, place, {}, "failed", "its process has ended", "call")
                        hook.pytest_runtest_logreport(report=report)
            if session.shouldfail or session.shouldstop:
                while os.read(waiting, 4096):  # no worker takes another file
                    pass
    return dict(seconds)


def _name_file(nodeid: str) -> str:
    return nodeid.split("::")[0]


def _read(pipe: int, size: int) -> bytes:
    """Read this many bytes; none if the other end is closed."""
    data = b""
    while len(data) < size and (more := os.read(pipe, size - len(data))):
        data += more
    return data if len(data) == size else b""


def _show_warning(hook, text, name, file, line, when, nodeid, location) -> None:
    message = warnings.WarningMessage(text, getattr(builtins, name, UserWarning), file, line)
    hook.pytest_warning_recorded.call_historic(
        kwargs={"warning_message": message, "when": when, "nodeid": nodeid, "location": location}
    )
