"""Mutants of model files: changes of bytes, of zip entries, of JSON values and of arrays.

A mutant is made from a file and a number alone, so that it can be made again. The checksums of the zip are right, or
nothing behind them would be reached, except where its bytes are changed.
"""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import numpy as np

from rekern.core.registry import list_classes
from rekern.core.state_schema import (
    Choice,
    Constraint,
    Either,
    Flag,
    ListOf,
    MapOf,
    Number,
    Optional,
    Record,
    Text,
    Texts,
    Whole,
    find_schema,
)
from rekern.krisp.parser_archive import GRAMMAR

SCHEMAS = {kind.__name__: find_schema(kind) for kind in list_classes(object)}

Members = dict[str, bytes]
Path = tuple[str | int, ...]

MOST_PLACES = 20_000  # in one file: a mutant of a mutant may have any number
VALUES: list[object] = [
    None, True, False, 0, 1, -1, 2, 3, 255, 10**4, 10**6, 2**31 - 1, 2**31, 2**63, 2**64, -(2**63), 10**30, 0.0, -0.0,
    0.5, 1.5, -1.5, 1e-300, 1e100, 1e308, 1e400, -1e308, "", "x", "a b", "\x00", "\ud800", "é" * 50, "x" * 5000,
    "/dev/zero", "wn:", "words", "spacy", [], [[]], [0], [None], [[0, 1]], ["a"] * 50, {}, {"type": "Sum"},
    {"type": "tuple", "items": []}, {"type": "array", "name": "array-0", "dtype": "i8"}, {"type": "json", "value": []},
    {"type": "state", "parts": {}}, {"type": "Spectrum"}, {"type": "Tokenizer"}, {"type": "PrecisionRecall"},
    {"type": "vectors", "words": [], "array": None}, {"type": "PairClassifier"}, {"type": "Similarities"},
]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 7, 127, 128, 255, 2**15, 2**31 - 1, -(2**31), 2**32, 2**53, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 1e-20, 1e20, 1e99, 1e100, 1e101, 1e308, -1e100, float("nan"), float("inf")]
TYPES = ["<u1", "<u4", "<u8", "<i4", "<i8", "<f4", "<f8", "|u1", "|b1", ">f8", "<c16", "|O", "<U1"]


def mutate(content: bytes, number: int) -> tuple[str, bytes]:
    """Return what was changed, and the changed file."""
    chance = random.Random(number)
    changed = content
    what = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        mutator = chance.choices((change_json, change_array, change_entries, change_bytes), (5, 4, 2, 1))[0]
        try:
            said, changed = mutator(changed, chance)
        except Exception:
            said, changed = change_bytes(changed, chance)  # an earlier change has broken the zip
        what.append(said)
    return "; ".join(what)[:300], changed


def unpack(content: bytes) -> Members:
    return dict(_unpack(content))


@lru_cache(maxsize=64)  # a model has many mutants
def _unpack(content: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(members: Members, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, method, compresslevel=1)  # quickly
    return buffer.getvalue()


# Bytes


def change_bytes(content: bytes, chance: random.Random) -> tuple[str, bytes]:
    data = bytearray(content or b"\0")
    kind = chance.choice(("flip", "flip", "insert", "delete", "truncate", "repeat", "zero"))
    place = chance.randrange(len(data))
    length = chance.choice((1, 2, 4, 16, 200))
    if kind == "flip":
        data[place] ^= 1 << chance.randrange(8)
    elif kind == "insert":
        data[place:place] = chance.randbytes(length)
    elif kind == "delete":
        del data[place : place + length]
    elif kind == "truncate":
        del data[place:]
    elif kind == "repeat":
        data[place:place] = data[place : place + length]
    else:
        data[place : place + length] = bytes(len(data[place : place + length]))
    return f"bytes: {kind} {length} at {place}", bytes(data)


# Zip entries


def change_entries(content: bytes, chance: random.Random) -> tuple[str, bytes]:
    members = unpack(content)
    names = list(members)
    one, other = chance.choice(names), chance.choice(names)
    kind = chance.choice(("drop", "swap", "copy", "rename", "add", "method", "order", "size", "damage"))
    if kind == "drop":
        del members[one]
    elif kind == "swap":
        members[one], members[other] = members[other], members[one]
    elif kind == "copy":
        members[one] = members[other]
    elif kind == "rename":
        members[chance.choice(("pairs.json", "array-0.npy", "../x", "model.json", "sentences.json"))] = members[one]
    elif kind == "add":
        members["more.json"] = b"[" * 1000
    elif kind == "order":
        chance.shuffle(names)
        members = {name: members[name] for name in names}
    elif kind == "damage":
        _, members[one] = change_bytes(members[one], chance)
    method = (
        chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
        if kind == "method"
        else zipfile.ZIP_DEFLATED
    )
    packed = pack(members, method)
    if kind == "size":
        packed = _forge_size(packed, chance)
    return f"entries: {kind} {one} {other}", packed


def _forge_size(packed: bytes, chance: random.Random) -> bytes:
    """Say another size, checksum, method or place of a member, in the central directory."""
    data = bytearray(packed)
    places = [place for place in range(len(data)) if data[place : place + 4] == b"PK\x01\x02"]
    at = chance.choice(places) + chance.choice((8, 10, 16, 20, 24, 28, 42))
    data[at : at + 4] = struct.pack("<I", chance.choice((0, 1, 8, 12, 2**16, 2**31, 2**32 - 1)))
    return bytes(data)


# JSON


def change_json(content: bytes, chance: random.Random) -> tuple[str, bytes]:
    members = unpack(content)
    names = [name for name in members if name.endswith(".json")]
    if not names:
        return change_array(content, chance)
    name = chance.choice(["model.json", *names]) if "model.json" in names else chance.choice(names)
    value = json.loads(members[name])
    found = list_places(value, (), GRAMMAR if name == "grammar.json" else None)
    places = list(islice(found, MOST_PLACES))
    path, constraint = chance.choice(places)
    # The interesting places are few among the many words and numbers of a file.
    declared = [place for place in places if place[1] is not None]
    if declared and chance.random() < 0.5:
        path, constraint = chance.choice(declared)
    kind = chance.choice(("replace", "replace", "replace", "delete", "repeat", "copy", "nest"))
    if constraint is not None and chance.random() < 0.7:
        new = chance.choice(list_edges(constraint))
        kind = "replace"
    else:
        new = chance.choice(VALUES)
    if kind == "copy":
        new = look_up(value, chance.choice(places)[0])
    if kind == "nest":
        new = {"type": "Normalized", "kernel": look_up(value, path)}
    value = replace(value, path, new, kind, chance)
    members[name] = json.dumps(value).encode()
    return f"{name}: {kind} {'/'.join(map(str, path))} by {json.dumps(new)[:80]}", pack(members)


def list_places(
    value: object, path: Path = (), constraint: Constraint | None = None
) -> Iterator[tuple[Path, Constraint | None]]:
    """All places in JSON, with the constraint that the schema of a class puts on them."""
    yield path, constraint
    if isinstance(value, dict):
        schema = SCHEMAS.get(value["type"]) if isinstance(value.get("type"), str) else None
        own = constraint if schema is None else schema.parts
        parts = own.parts if isinstance(own, Record) else {}
        item = own.item if isinstance(own, MapOf) else None
        for name, part in value.items():
            yield from list_places(part, (*path, name), parts.get(name, item))
    elif isinstance(value, list):
        item = constraint.item if isinstance(constraint, ListOf) else None
        for number, part in list(enumerate(value))[:30]:
            yield from list_places(part, (*path, number), item)


def list_edges(constraint: Constraint) -> list[object]:
    """Values at the borders of a constraint, on both sides."""
    if isinstance(constraint, Optional):
        return list_edges(constraint.inner)
    if isinstance(constraint, Either):
        return [value for choice in constraint.choices for value in list_edges(choice)]
    if isinstance(constraint, Whole):
        return [constraint.least - 1, constraint.least, constraint.most, constraint.most + 1, constraint.least + 0.5]
    if isinstance(constraint, Number):
        return [constraint.least, constraint.most, constraint.least - 1e-9, constraint.most * 1.01 + 1, 1e-300, 0]
    if isinstance(constraint, Choice):
        return [*constraint.values, "other"]
    if isinstance(constraint, Flag):
        return [True, False, 0, 1, 2]
    if isinstance(constraint, Text):
        return ["", "x" * (min(constraint.longest, 10**5) + 1), "tree", "english", "klingon"]
    if isinstance(constraint, Texts | ListOf):
        return [[], ["basic"], ["wordnet"], [1], [[1, 2]], {"type": "tuple", "items": ["links"]}, ["x"] * 1000]
    return VALUES


def look_up(value: object, path: Path) -> object:
    for step in path:
        value = value[step]
    return value


def replace(value: object, path: Path, new: object, kind: str, chance: random.Random) -> object:
    if not path:
        return new
    holder = look_up(value, path[:-1])
    if kind == "delete":
        del holder[path[-1]]
    elif kind == "repeat" and isinstance(holder, list):
        holder[path[-1] : path[-1]] = [holder[path[-1]]] * chance.choice((1, 2, 100))
    else:
        holder[path[-1]] = new
    return value


# Arrays


def change_array(content: bytes, chance: random.Random) -> tuple[str, bytes]:
    members = unpack(content)
    names = [name for name in members if name.endswith(".npy")]
    if not names:
        return change_bytes(content, chance)
    name = chance.choice(names)
    array = np.load(io.BytesIO(members[name]), allow_pickle=False)
    change = chance.choice((_set_values, _set_values, _set_values, _resize, _reorder, _retype, _forge_header))
    said, data = change(array, chance)
    members[name] = data
    return f"{name} {array.dtype} {array.shape}: {said}", pack(members)


def write_array(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def _set_values(array: np.ndarray, chance: random.Random) -> tuple[str, bytes]:
    changed = array.copy().ravel()
    if not len(changed):
        return "nothing", write_array(array)
    values = FLOATS if array.dtype.kind == "f" else [*NUMBERS, len(changed), len(changed) - 1]
    value = chance.choice(values)
    how_many = chance.choice((1, 1, 2, len(changed)))
    with np.errstate(all="ignore"):
        new = np.array([value]).astype(array.dtype)[0]
    for place in chance.sample(range(len(changed)), min(how_many, len(changed))):
        changed[place] = new
    return f"{how_many} × {value}", write_array(changed.reshape(array.shape))


def _resize(array: np.ndarray, chance: random.Random) -> tuple[str, bytes]:
    axis = chance.randrange(array.ndim) if array.ndim else 0
    kind = chance.choice(("shorter", "longer", "empty", "flat", "deeper", "transposed"))
    if array.ndim == 0 or kind == "deeper":
        changed = array[None]
    elif kind == "shorter":
        changed = np.delete(array, -1, axis) if array.shape[axis] else array
    elif kind == "longer":
        changed = np.concatenate([array, array], axis)
    elif kind == "empty":
        changed = np.take(array, [], axis)
    else:
        changed = array.ravel() if kind == "flat" else array.T
    return f"{kind} along {axis}", write_array(changed)


def _reorder(array: np.ndarray, chance: random.Random) -> tuple[str, bytes]:
    generator = np.random.default_rng(chance.randrange(2**32))
    changed = array.copy()
    if changed.ndim and len(changed):
        changed = changed[::-1] if chance.random() < 0.5 else generator.permutation(changed)
    return "reordered", write_array(changed)


def _retype(array: np.ndarray, chance: random.Random) -> tuple[str, bytes]:
    kind = chance.choice(TYPES[:7])
    with np.errstate(all="ignore"):
        return f"as {kind}", write_array(array.astype(kind))


def _forge_header(array: np.ndarray, chance: random.Random) -> tuple[str, bytes]:
    """Say another type or shape than the data has."""
    data = write_array(array)
    start = 10 + int.from_bytes(data[8:10], "little")
    shapes = (str(array.shape), "(10,)", "(4000000000, 4000000000)", "()", "(0,)", "(-1,)", "(1, 1, 1, 1)", "9" * 30)
    kind = chance.choice([*TYPES, array.dtype.str])
    order = chance.choice((True, False, False))
    text = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {chance.choice(shapes)}, }}\n".encode()
    header = b"\x93NUMPY" + bytes(chance.choice(((1, 0), (2, 0), (9, 9), (1, 0)))) + struct.pack("<H", len(text)) + text
    return "header forged", header + data[start:]
