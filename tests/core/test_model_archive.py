"""Model files as archives: the same bytes for the same content, checksums, and reading within limits."""

import io
import json
import time
import zipfile

import numpy as np
import pytest

from rekern import ModelFileError, PairClassifier, load_model
from rekern.core.model_archive import read_array
from rekern.core.model_limits import ModelLimits
from rekern.kernels import Rewriting
from rekern.questions import QuestionClassifier

PAIRS = [("a b", "b a"), ("c", "c d"), ("a d", "d"), ("b", "a c")]


def train():
    return PairClassifier(Rewriting((1, 2)), calibration=0).fit(PAIRS, [0, 1, 0, 1])


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """The members of a small model file with its training pairs."""
    path = tmp_path_factory.mktemp("small") / "m"
    train().save(path, keep_pairs=True)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def refused(path, words, **options):
    with pytest.raises(ModelFileError, match=words) as caught:
        load_model(path, **options)
    assert "\n" not in str(caught.value)


def test_the_same_training_gives_the_same_bytes(tmp_path, monkeypatch):
    questions, types = ["why so", "why not", "how to go", "how to swim"], [1, 1, 2, 2]
    found = []
    for year in (2001, 2017):
        moment = time.struct_time((year, 2, 3, 4, 5, 6, 0, 34, 0))
        monkeypatch.setattr(time, "localtime", lambda *given, moment=moment: moment)
        train().save(tmp_path / "m", keep_pairs=True)
        QuestionClassifier().fit(questions, types).save(tmp_path / "q")
        found.append([(tmp_path / name).read_bytes() for name in "mq"])
    assert found[0] == found[1]


def test_a_file_has_the_version(tmp_path, members):
    assert json.loads(members["model.json"])["written_by"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_methods_of_compression_are_not_read(tmp_path, members, method):
    refused(pack(tmp_path / "m", members, method), "compressed in a way that no model file is")


def test_a_declared_size_is_not_trusted(tmp_path, members):
    path = pack(tmp_path / "m", members)
    content = bytearray(path.read_bytes())
    # In the central directory, the size of the first member is declared as one byte.
    place = content.index(b"PK\x01\x02") + 24
    content[place : place + 4] = (1).to_bytes(4, "little")
    path.write_bytes(bytes(content))
    refused(path, "model file|truncated")


@pytest.mark.parametrize("sign", [b"-", b"(", b"["])
def test_the_header_of_an_array_is_not_evaluated(tmp_path, members, sign):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + sign * 9000 + b"1,), }\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(8)
    refused(pack(tmp_path / "m", members | {"intercept.npy": array}), "not a table of numbers")


def test_json_of_many_small_values(tmp_path, members):
    bomb = b"[" + b"[]," * 2_000_000 + b"[]]"
    path = pack(tmp_path / "m", members | {"pairs.json": bomb})
    assert path.stat().st_size < 50_000
    refused(path, "not a pair")
    refused(pack(path, members | {"pairs.json": b"[" + b"[]," * 30_000_000 + b"[]]"}), "would unpack to")


def test_limits_can_be_raised(tmp_path, members):
    path = pack(tmp_path / "m", members)
    refused(path, r"the limit is 3: load_model\(path, limits=ModelLimits\(members=", limits=ModelLimits(members=3))
    refused(path, "unpack to .* the limit is 10:", limits=ModelLimits(member_bytes=10))
    assert load_model(path, limits=ModelLimits(members=len(members))).has_pairs()
    with pytest.raises(ValueError, match="depth=0: give a whole number of at least 1"):
        ModelLimits(depth=0)


def test_no_memory_is_an_error_of_ours(tmp_path, members, monkeypatch):
    def fail(*given):
        raise MemoryError

    monkeypatch.setattr("rekern.core.model_archive.read_array", fail)
    refused(pack(tmp_path / "m", members), "it needs more memory than there is")


def test_numbers_in_json_are_finite(tmp_path, members):
    header = json.loads(members["model.json"])
    for number in ("NaN", "Infinity", "-Infinity"):
        text = json.dumps(header | {"labels": [0, 1, 0, 1]}).replace('"labels": [0', f'"labels": [{number}')
        refused(pack(tmp_path / "m", members | {"model.json": text.encode()}), "where a finite number should be")


def test_arrays_are_read_as_numpy_writes_them(tmp_path, members):
    for array in (np.zeros((0,)), np.zeros(3), np.zeros((1, 1)), np.zeros((2, 3, 1)), np.array(1.0)):
        stream = io.BytesIO()
        np.save(stream, array)
        path = pack(tmp_path / "m", {"a.npy": stream.getvalue()})
        with zipfile.ZipFile(path) as archive:
            assert read_array(archive, "a", ("f8",)).shape == array.shape
