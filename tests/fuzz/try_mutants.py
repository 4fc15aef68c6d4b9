"""Loads mutants of model files and predicts with them, in a process of its own with limits on time and memory.

Run as ``python try_mutants.py FOLDER FIRST LAST``: FOLDER has the models that `small_models.write_models` wrote,
and the numbers say which mutants to try. It prints a line of JSON for each: what it begins with, then what came out.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import warnings
from pathlib import Path

import mutators
import small_models

from rekern import InputError, ModelFileError, load_model
from rekern.errors import MissingColumnError
from rekern.similarity import LatentSemantics, WordVectors

SECONDS = 10  # for one mutant; it takes a few milliseconds
MORE_BYTES = 3 << 30  # above what the process has when it begins
OWN = tuple(str(Path(place).resolve()) for place in {*sys.path, sys.prefix, sys.base_prefix} if place)
REACHING = ("socket.", "subprocess.", "sqlite3.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "ctypes.dlopen")
SPACES = {"word vectors": WordVectors, "latent semantics": LatentSemantics}


def try_mutant(name: str, content: bytes, place: Path) -> str:
    """Return "refused" or "loaded"; anything else that happens is an error of ours."""
    place.write_bytes(content)
    ours = InputError if name in SPACES else ModelFileError
    try:
        model = SPACES[name].load(place) if name in SPACES else load_model(place)
    except ours as error:
        message = str(error)
        assert "\n" not in message and len(message) < 1000, f"a long message: {message[:300]!r}"
        return "refused"
    try:
        small_models.use(name, model)
    except InputError as error:  # a model that reads another column than our items have, or trees where they are texts
        is_about_items = isinstance(error, MissingColumnError) or error.row is not None
        assert is_about_items and "\n" not in str(error), f"on use: {error}"
        return "other input"
    return "loaded"


def give_wordnet(folder: Path) -> Path:
    """Let REKERN_DATA name a folder with a tiny WordNet: a model that was trained with the one there finds it again."""
    (folder / "oewn").mkdir(parents=True, exist_ok=True)
    columns = "synset\tpos\tmembers\thypernym\tinstance_hypernym\tdefinition"
    (folder / "oewn" / "synsets.tsv").write_text(f"{columns}\n1\tn\tdog\t\t\tan animal that barks\n")
    os.environ["REKERN_DATA"] = str(folder)
    return folder


def watch(place: Path, data: Path) -> list[str]:
    """Return a list that grows when something is opened or imported that is neither ours nor this file nor WordNet."""
    seen: list[str] = []
    own = (*OWN, str(data.resolve()), "/proc/self/", "/sys/fs/cgroup/")

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes):
            path = os.fsdecode(arguments[0])
            if path != str(place) and not os.path.realpath(path).startswith(own):
                seen.append(f"open {path}")
        elif event == "import":
            package = str(arguments[0]).partition(".")[0]
            if package not in sys.modules and package not in sys.stdlib_module_names:
                seen.append(f"import {arguments[0]}")
        elif event.startswith(REACHING):
            seen.append(event)

    sys.addaudithook(note)
    return seen


def limit_memory() -> None:
    with open("/proc/self/statm") as stream:
        used = int(stream.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MORE_BYTES, used + MORE_BYTES))


def say(**values: object) -> None:
    print(json.dumps(values), flush=True)


def main(folder: Path, first: int, last: int) -> None:
    warnings.simplefilter("ignore")
    names = small_models.NAMES
    contents = {name: (folder / name).read_bytes() for name in names}
    place = folder / f"mutant-{first}.rekern"
    for name in names:  # everything that is compiled is compiled or loaded before the clock runs
        assert try_mutant(name, contents[name], place) == "loaded", name
    limit_memory()
    seen = watch(place, give_wordnet(folder / "data"))
    for number in range(first, last):
        name = names[number % len(names)]
        what, content = mutators.mutate(contents[name], number)
        say(begin=number, model=name, what=what)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)  # without a handler: it ends the process, compiled code or not
        try:
            result = try_mutant(name, content, place)
        except BaseException as error:
            result = f"{type(error).__name__}: {error}"[:500]
        signal.setitimer(signal.ITIMER_REAL, 0)
        if seen:
            result = f"it reached {', '.join(seen)}"[:500]
            seen.clear()
        say(end=number, result=result)
    place.unlink(missing_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
