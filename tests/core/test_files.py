"""A file appears whole or not at all."""

import os
import stat
import threading

import pytest

from rekern.core import files
from rekern.core.files import check_writable, open_locked, remove_locked, show_path, write_atomically
from rekern.datasets import read_table
from rekern.errors import InputError


def test_file_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "gram.npy"
    with write_atomically(target) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".npy"
        temporary.write_text("new")
        assert not target.exists()
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["gram.npy"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_nothing_is_left_after_an_exception(tmp_path, error):
    with pytest.raises(error), write_atomically(tmp_path / "a.tsv") as temporary:
        temporary.write_text("half")
        raise error
    assert os.listdir(tmp_path) == []


def test_exception_before_anything_is_written(tmp_path):
    with pytest.raises(KeyboardInterrupt), write_atomically(tmp_path / "a.tsv"):
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


def test_old_file_stays_after_an_exception(tmp_path):
    target = tmp_path / "a.tsv"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt), write_atomically(target) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert target.read_text() == "old"


def test_missing_folder_is_refused_before_any_work(tmp_path):
    with pytest.raises(InputError) as caught, write_atomically(tmp_path / "none" / "a.tsv"):
        pytest.fail("the block must not run")
    name = tmp_path / "none"
    assert str(caught.value) == f"cannot write {name / 'a.tsv'}: there is no folder {name}; make it first"


@pytest.mark.parametrize("name", ["", "sub"])
def test_folder_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    with pytest.raises(InputError, match="is a folder: give the name of a file"), write_atomically(name):
        pytest.fail("the block must not run")


def test_nul_in_the_name_is_refused():
    with pytest.raises(InputError, match="NUL"), write_atomically("a\0b"):
        pytest.fail("the block must not run")


def test_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with write_atomically("a.tsv") as temporary:
        temporary.write_text("x")
    assert (tmp_path / "a.tsv").read_text() == "x"


def test_permissions_follow_the_umask(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("x")
    with write_atomically(tmp_path / "atomic") as temporary:
        temporary.write_text("x")
    assert stat.S_IMODE((tmp_path / "atomic").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_symbolic_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with write_atomically(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipe_is_written_through(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    with write_atomically(pipe) as path:
        path.write_text("through")
    reader.join(10)
    assert got == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="read-only"), write_atomically(tmp_path / "a"):
        pytest.fail("the block must not run")


def test_readable():
    assert show_path("a b.tsv") == "a b.tsv"
    assert "\n" not in show_path("a\nb")
    assert show_path("") == "''"


def test_an_error_carries_its_file(tmp_path):
    (tmp_path / "half.tsv.gz").write_bytes(b"\x1f\x8b\x08")
    (tmp_path / "empty.tsv").write_text("")
    (tmp_path / "one.tsv").write_text("source\ttarget\n")
    (tmp_path / "bad.parquet").write_text("PAR?")
    for name in ("missing.tsv", ".", "half.tsv.gz", "empty.tsv", "one.tsv", "bad.parquet", "name.docx"):
        path = tmp_path / name
        with pytest.raises(InputError) as caught:
            read_table(path)
        assert caught.value.file == str(path) and str(path) in str(caught.value)
        assert str(caught.value).count(str(path)) == 1
    for place in (tmp_path, tmp_path / "none" / "a.tsv"):
        with pytest.raises(InputError) as caught:
            check_writable(place)
        assert caught.value.file == str(place)


@pytest.mark.skipif(files.fcntl is None, reason="files cannot be locked here")
def test_a_file_that_another_run_has_removed_is_not_locked_in_its_place(tmp_path, monkeypatch):
    path, lock = tmp_path / "record", files.fcntl.flock

    def wait(*arguments):  # the other run ends between opening and locking
        monkeypatch.undo()
        with open_locked(path) as other:
            remove_locked(path, other)
        lock(*arguments)

    monkeypatch.setattr(files.fcntl, "flock", wait)
    with open_locked(path) as file:
        assert os.path.samestat(os.fstat(file.fileno()), os.stat(path))
        with pytest.raises(InputError, match="another run"), open_locked(path):
            pass
