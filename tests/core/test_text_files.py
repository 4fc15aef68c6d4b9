"""Text files: gzip, byte order marks, encodings, and errors that carry the file and the line."""

import gzip
import io
import os
import sys
import threading

import pytest

from rekern.core.text_files import decode_line, decode_text, iterate_lines, read_bytes, read_text, write_lines
from rekern.errors import InputError


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_written_lines_are_read_back(tmp_path, name):
    path = tmp_path / name
    write_lines(path, ["käse", "", "brot"])
    assert read_text(path) == "käse\n\nbrot\n"
    assert list(iterate_lines(path)) == ["käse", "", "brot"]
    assert path.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")


def test_gzip_is_known_by_its_first_bytes(tmp_path):
    path = tmp_path / "packed.txt"
    path.write_bytes(gzip.compress(b"one\r\ntwo"))
    assert read_bytes(path) == b"one\r\ntwo" and list(iterate_lines(path)) == ["one", "two"]
    path.write_bytes(gzip.compress(b"one\r\ntwo")[:15])
    for read in (read_bytes, lambda path: list(iterate_lines(path))):
        with pytest.raises(InputError, match=r"packed\.txt is not a whole gzip file: fetch it again"):
            read(path)


def test_byte_order_marks_are_removed(tmp_path):
    path = tmp_path / "marked.txt"
    path.write_bytes("\ufeffone\n\ufefftwo\n".encode())
    assert read_text(path) == "one\n\ufefftwo\n" and list(iterate_lines(path)) == ["one", "\ufefftwo"]
    path.write_bytes("one\ntwo\n".encode("utf-16"))
    assert read_text(path, "utf-16") == "one\ntwo\n" and list(iterate_lines(path, "utf-16")) == ["one", "two"]


@pytest.mark.parametrize("read", [read_text, lambda path: list(iterate_lines(path))])
def test_a_byte_that_is_not_utf8_is_named_with_its_line(tmp_path, read):
    path = tmp_path / "menu.txt"
    path.write_bytes(b"tea\ncaf\xe9\n")
    with pytest.raises(InputError, match="not UTF-8; convert the file to UTF-8") as caught:
        read(path)
    assert (caught.value.file, caught.value.row, caught.value.unit) == (str(path), 2, "line")


def test_where_an_encoding_can_be_chosen_the_error_names_a_likely_one():
    with pytest.raises(InputError, match=r"^a.tsv, line 1: byte 0xe9 at offset 0 is not utf-8; .*--encoding latin-1"):
        decode_text(b"\xe9", "a.tsv", "utf-8")
    with pytest.raises(InputError, match="--encoding utf-16"):
        decode_text("a".encode("utf-16"), "a.tsv", "utf-8")
    with pytest.raises(InputError, match=r"^unknown encoding 'klingon'"):
        decode_text(b"a", "a.tsv", "klingon")
    with pytest.raises(InputError, match=r"^line 7: byte 0xe9 is not utf-8; name the file's encoding"):
        decode_line(b"\xe9", None, 7, "utf-8")


def test_nul_characters_are_refused():
    with pytest.raises(InputError, match=r"^a, line 2: a NUL character; give a text file in UTF-8") as caught:
        decode_text(b"one\n\0", "a")
    assert caught.value.row == 2
    with pytest.raises(InputError, match=r"--encoding utf-16"):
        decode_text(b"one\n\0", "a", "latin-1")


def test_standard_input_and_pipes(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo\n")))
    assert list(iterate_lines("-")) == ["one", "two"]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(gzip.compress(b"one\ntwo\n")))
    writer.start()
    assert list(iterate_lines(pipe)) == ["one", "two"]
    writer.join()


def test_only_a_line_feed_ends_a_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("a\x0cb\u2028c\rd\r\ne".encode())
    assert list(iterate_lines(path)) == ["a\x0cb\u2028c\rd", "e"]


def bomb(path, megabytes, line=b""):
    with gzip.open(path, "wb") as file:
        file.write(b"source\ttarget\n")
        for _ in range(megabytes):
            file.write(b"a" * 1_000_000 + line)


@pytest.mark.parametrize("read", [read_text, lambda path: list(iterate_lines(path))], ids=["whole", "lines"])
def test_a_small_file_that_unpacks_to_much_is_refused_and_the_limit_can_be_raised(tmp_path, monkeypatch, read):
    path = tmp_path / "a.tsv.gz"
    bomb(path, 30)
    assert path.stat().st_size < 100_000
    monkeypatch.setenv("REKERN_UNPACKED_MB", "20")
    with pytest.raises(InputError, match=r"unpacks to more than 20 MB; if you trust it, set REKERN_UNPACKED_MB"):
        read(path)
    monkeypatch.setenv("REKERN_UNPACKED_MB", "31")
    assert sum(map(len, read(path))) > 30_000_000


def test_many_lines_are_no_bomb_where_they_are_read_one_by_one(tmp_path, monkeypatch):
    bomb(tmp_path / "a.gz", 5, b"\n")
    monkeypatch.setenv("REKERN_UNPACKED_MB", "2")
    assert sum(1 for _ in iterate_lines(tmp_path / "a.gz")) == 6


def test_packed_lines_have_no_time_stamp(tmp_path, monkeypatch):
    for moment in (1e9, 2e9):
        monkeypatch.setattr("time.time", lambda moment=moment: moment)
        write_lines(tmp_path / f"{moment}.gz", ["a", "b"])
    one, other = sorted(tmp_path.iterdir())
    assert one.read_bytes() == other.read_bytes()
