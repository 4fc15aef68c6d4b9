"""What all clusters have in common: an address, workers, calls that they run, and what the calls come to."""

from __future__ import annotations

import re
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice
from typing import NamedTuple, TypeVar, cast

import joblib

from rekern.core.cluster_files import FiledValue, Serializer, ValueFiles, load_values
from rekern.errors import InputError

T = TypeVar("T")
Calls = Iterable[tuple[object, ...]]

LIBRARIES = ("dask", "ray", "spark")
AHEAD = 4  # calls that wait at each worker, so that it never waits itself


class Outcome(NamedTuple):
    """What a call on a worker came to: its result, or the error that it raised."""

    value: object = None
    error: Exception | None = None


def call_there(function: Callable[..., object], *arguments: object) -> Outcome:
    """Call a function on a worker. Its error is a result: no library wraps it, or tries the call again.

    The call stays in one thread, for it has one processor, and the other ones have calls of their own.

    >>> call_there(divmod, 7, 2).value, call_there(divmod, 7, 0).error
    ((3, 1), ZeroDivisionError('integer division or modulo by zero'))
    """
    try:
        with joblib.parallel_config(backend="sequential"):
            return Outcome(function(*load_values(arguments)))
    except Exception as error:
        error.add_note(f"on a worker:\n{traceback.format_exc()}")
        # Dask would bring the frames, too. They and the ones that call them would keep what they hold: files, arrays.
        return Outcome(error=error.with_traceback(None))


def take_outcome(future: Future[Outcome]) -> object:
    """Return the result of a call, or raise its error; what the library itself reports becomes one line."""
    try:
        found = future.result()
    except Exception as error:
        reason = f"{type(error).__name__}: {shorten_reason(error)}"
        raise InputError(f"the cluster gave up a call ({reason}): see the logs of its workers") from error
    if found.error is not None:
        raise found.error
    return found.value


class Cluster(ABC):
    """Workers that run a function; the function and its arguments are sent to them."""

    files: ValueFiles | None = None  # if all workers are on this machine

    @abstractmethod
    def find_serializer(self) -> Serializer:
        """Return what the library makes bytes of values with."""

    @abstractmethod
    def send_call(self, function: Callable[..., object], *arguments: object) -> Future[Outcome]:
        """Give `call_there` to the next free worker; the library runs it again if the worker dies."""

    @abstractmethod
    def send_value(self, value: object) -> object:
        """Send a value to the workers once. What is returned may stand for it among the arguments of `send_call`."""

    def submit(self, function: Callable[..., object], *arguments: object) -> Future[Outcome]:
        """Give a call to the next free worker; if that dies, another one runs it."""
        future = self.send_call(function, *arguments)
        filed = [argument for argument in arguments if isinstance(argument, FiledValue)]
        if filed:  # their files stay until the call is done
            future.add_done_callback(lambda _, kept=filed: kept.clear())  # type: ignore[misc]
        return future

    def share(self, value: object) -> object:
        """Give a value to the workers once. What is returned may stand for it among the arguments of `submit`."""
        filed = None if self.files is None else self.files.share(value)
        return self.send_value(value) if filed is None else filed

    def pack(self, value: object) -> object:
        """Return what may stand for a value among the arguments of one `submit`: what is long goes through a file."""
        return value if self.files is None else self.files.pack(value)

    @abstractmethod
    def count_workers(self) -> int:
        """Return how many calls the cluster runs at the same time."""

    def run(self, function: Callable[..., T], calls: Calls) -> Iterator[T]:
        """Yield the results in the order in which they come; a few calls for each worker are sent ahead."""
        left = iter(calls)
        ahead = AHEAD * max(1, self.count_workers())
        waiting = {self.submit(function, *call) for call in islice(left, ahead)}
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                waiting |= {self.submit(function, *call) for call in islice(left, len(done))}
                for future in done:
                    yield cast(T, take_outcome(future))
        finally:
            for future in waiting:
                future.cancel()

    def run_in_order(self, function: Callable[..., T], calls: Calls) -> Iterator[T]:
        """Yield the results in the order of the calls; those that come early wait here."""
        numbered = ((number, function, *call) for number, call in enumerate(calls))
        early: dict[int, T] = {}
        following = 0
        for number, found in self.run(_call_with_number, numbered):
            early[number] = found
            while following in early:
                yield early.pop(following)
                following += 1


def _call_with_number(number: int, function: Callable[..., T], *arguments: object) -> tuple[int, T]:
    return number, function(*arguments)


class Address:
    """An address of a cluster: which library runs it, and where it is.

    >>> Address("dask://10.0.0.1:8786").place, Address("spark://local:2").local_workers
    ('10.0.0.1:8786', 2)
    >>> Address("slurm://here")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: slurm://here is no address of a cluster: write dask://HOST:PORT, ray://HOST:PORT or \
spark://HOST:PORT, or dask://local:2 for two workers on this machine
    """

    def __init__(self, text: str):
        self.text = text
        self.library, _, self.place = text.partition("://")
        local = re.fullmatch(r"local(?::([1-9]\d{0,3}))?", self.place)
        if self.library not in LIBRARIES or not (
            local or re.fullmatch(r"(?!local:)[^\s/]+:\d{1,5}(,[^\s/]+:\d{1,5})*", self.place)
        ):
            raise InputError(
                f"{text} is no address of a cluster: write dask://HOST:PORT, ray://HOST:PORT or spark://HOST:PORT, or "
                "dask://local:2 for two workers on this machine"
            )
        self.local_workers = int(local[1] or 2) if local else None

    def refuse(self, error: object, remedy: str) -> InputError:
        """Return the error that there is no cluster here, with the reason and what to do."""
        return InputError(f"there is no cluster at {self.text} ({shorten_reason(error)}): {remedy}")


def shorten_reason(error: object) -> str:
    """Return the first line of an error of a library, or its kind if it says nothing.

    >>> shorten_reason(ValueError("no\\nsuch host")), shorten_reason(OSError())
    ('no', 'OSError')
    """
    return (next(iter(str(error).splitlines()), "") or type(error).__name__)[:200]
