"""The members of a model file: JSON and arrays in a zip, read within limits, and written without time stamps.

A reader trusts nothing that a file says about itself: sizes are checked before anything is unpacked, only stored and
deflated members are read (the readers of other methods unpack without a bound), and the header of an array is matched
and not evaluated.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import zipfile
import zlib
from typing import Any

import numpy as np

from rekern.core.arrays import AnyArray
from rekern.core.json_values import Json
from rekern.core.model_limits import LARGEST_NUMBER, ModelLimits
from rekern.errors import ModelFileError

LARGEST_ARRAY = 1 << 31  # bytes
SAMPLE = 1 << 14  # bytes of an array by which to see whether it shrinks
FAST_LEVEL = 1  # of the compression of arrays: others take much longer for a file that is hardly smaller
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
CHECKSUM = b"rekern checksum "
END_SIZE = 22  # bytes of the record before the comment of a zip; the last two have the length of the comment
_ARRAY_HEADER = re.compile(
    rb"\{'descr': '[<|]([a-z]\d)', 'fortran_order': False, 'shape': \((\d{0,18}|(?:\d{1,18}, ?)+\d{0,18}),?\),? *\} *\n"
)


def check_members(archive: zipfile.ZipFile, packed: int, limits: ModelLimits) -> None:
    """Refuse an archive with too many members, with members that unpack to too much, or of another method."""
    members = archive.infolist()
    limits.check("members", len(members), f"it has {len(members):,} parts")
    for member in members:
        if member.compress_type not in METHODS or member.flag_bits & 1:
            raise ModelFileError("one of its parts is encrypted, or compressed in a way that no model file is")
        limits.check("member_bytes", member.file_size, f"its part would unpack to {member.file_size:,} bytes")
    size = sum(member.file_size for member in members)
    if size > limits.unpacked_times * packed:
        limits.check("unpacked_bytes", size, f"its {packed:,} bytes would unpack to {size:,}")
    if len({member.filename for member in members}) < len(members):
        raise ModelFileError("two of its parts have the same name")


def check_json_size(archive: zipfile.ZipFile, contents: bytes, limits: ModelLimits) -> None:
    """Refuse JSON with many more values than a file of this size should have: small lists take much memory."""
    values = contents.count(b",") + contents.count(b"[") + contents.count(b"{")
    packed = sum(member.compress_size for member in archive.infolist())
    if values > limits.json_times * packed:
        limits.check("json_values", values, f"its JSON has {values:,} values")


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a member; it is never more than its declared size, which `check_members` has checked."""
    try:
        member = archive.getinfo(name)
    except KeyError:
        raise ModelFileError(f"it lacks {name}") from None
    with archive.open(member) as stream:
        content = stream.read(member.file_size)
        if len(content) != member.file_size or stream.read(1):
            raise ModelFileError(f"its {name} is truncated")
    return content


def read_json(archive: zipfile.ZipFile, name: str, limits: ModelLimits) -> Json:
    """Return a member as JSON, whose numbers are finite."""
    content = read_member(archive, name)
    check_json_size(archive, content, limits)
    try:
        value = json.loads(content, parse_constant=_refuse_constant)
    except RecursionError:
        raise ModelFileError(f"its {name} is nested too deeply") from None
    depth = measure_depth(value)
    limits.check("depth", depth, f"its {name} is nested {depth} deep")
    return value


def _refuse_constant(name: str) -> float:
    raise ModelFileError(f"it has {name} where a finite number should be")


def measure_depth(value: Json) -> int:
    """Return how many lists and objects are nested in each other.

    >>> measure_depth({"a": [1, [2]]}), measure_depth("a")
    (3, 0)
    """
    depth, level = 0, [value] if isinstance(value, list | dict) else []
    while level:
        depth += 1
        below: list[Json] = []
        for item in level:
            parts = item.values() if isinstance(item, dict) else item
            if not {list, dict}.isdisjoint(map(type, parts)):  # quick, because most lists have texts and numbers only
                below += [part for part in parts if isinstance(part, list | dict)]
        level = below
    return depth


def read_array(archive: zipfile.ZipFile, name: str, types: tuple[str, ...], dimensions: int | None = None) -> Any:
    """Return an array of one of these types, with this number of dimensions; floating-point numbers must be finite."""
    found = view_array(memoryview(read_member(archive, f"{name}.npy")), name, types, dimensions)
    array = found.astype(found.dtype.newbyteorder("="))
    # NaN fails too; all finite numbers of 32 bits are small enough.
    is_small = array.dtype.itemsize < 8
    if array.dtype.kind == "f" and not (np.isfinite(array) if is_small else np.abs(array) <= LARGEST_NUMBER).all():
        raise ModelFileError(f"its {name} are not finite numbers")
    return array


def view_array(member: memoryview, name: str, types: tuple[str, ...], dimensions: int | None = None) -> AnyArray:
    """Return the array in a member, without a copy of it, if it has one of these types and this many dimensions."""
    wrong = ModelFileError(f"its {name} are not a table of numbers")
    start = 10 + int.from_bytes(member[8:10], "little")
    found = _ARRAY_HEADER.fullmatch(member[10:start]) if bytes(member[:8]) == b"\x93NUMPY\x01\x00" else None
    if found is None:
        raise wrong
    kind = np.dtype(f"<{found[1].decode()}") if found[1].decode() in types else None
    shape = tuple(int(size) for size in re.findall(rb"\d+", found[2]))
    content = member[start:]
    # Checked before an array is made: a header may claim any size.
    fits = kind is not None and math.prod(shape) * kind.itemsize == len(content)
    if kind is None or not fits or (dimensions is not None and len(shape) != dimensions):
        raise wrong
    return np.frombuffer(content, dtype=kind).reshape(shape)


def write_member(
    archive: zipfile.ZipFile, name: str, content: bytes | memoryview, shrink: bool = True, level: int | None = None
) -> None:
    """Write a member without a time stamp, so that equal contents give equal bytes."""
    member = zipfile.ZipInfo(name)  # of the first day of 1980
    member.compress_type = zipfile.ZIP_DEFLATED if shrink else zipfile.ZIP_STORED
    member.create_system, member.external_attr = 3, 0o644 << 16
    archive.writestr(member, content, compresslevel=level)


def write_array(archive: zipfile.ZipFile, name: str, array: AnyArray) -> None:
    """Write an array as a member; what does not shrink is stored as it is."""
    if array.nbytes >= LARGEST_ARRAY:
        raise ValueError(f"a model with {array.size:,} numbers in an array could not be loaded; use fewer words")
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    content = buffer.getbuffer()
    # Keys are random bytes, which do not shrink: writing and reading them as they are is faster.
    middle = len(content) // 2
    sample = bytes(content[middle : middle + SAMPLE])
    shrinks = len(content) < SAMPLE or len(zlib.compress(sample, 1)) < 0.85 * len(sample)
    write_member(archive, f"{name}.npy", content, shrinks, FAST_LEVEL)


def compute_checksum(archive: zipfile.ZipFile) -> bytes:
    """Return the comment of an archive that has a checksum of the names, sizes and checksums of all members."""
    listed = "\n".join(f"{member.CRC:08x} {member.file_size} {member.filename}" for member in archive.infolist())
    return CHECKSUM + hashlib.blake2b(listed.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest().encode()


def check_checksum(archive: zipfile.ZipFile) -> None:
    """Refuse an archive whose members are not those that were written; files of 0.1.0 have no checksum."""
    stream, length = archive.fp, len(archive.comment)
    assert stream is not None
    stream.seek(-length - END_SIZE, io.SEEK_END)
    written = int.from_bytes(stream.read(END_SIZE)[-2:], "little")
    if written != length:  # zipfile takes a truncated comment for a short one
        raise ModelFileError("its end is missing: it was truncated or changed; train and save it again")
    if archive.comment.startswith(CHECKSUM) and archive.comment != compute_checksum(archive):
        raise ModelFileError("its checksum is wrong: it was damaged or changed; train and save it again")
