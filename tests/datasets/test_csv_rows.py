"""Rows of CSV files: the same as those of Python's module, whose limit for the whole process is left alone."""

import csv
import io
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.datasets import read_table
from rekern.datasets.csv_rows import iterate_csv
from rekern.errors import InputError


def read_slowly(text):
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows, start = [], 1
    for row in reader:
        rows.append((start, row))
        start = reader.line_num + 1
    return rows


@settings(deadline=None, max_examples=150)
@given(st.text(st.sampled_from("ab,\"\n\r '\u2028"), max_size=30))
def test_same_as_the_module_of_python(text):
    try:
        expected = read_slowly(text)
    except csv.Error as error:
        with pytest.raises(InputError, match="close every quoted field") as caught:
            list(iterate_csv(io.StringIO(text, newline=""), "a.csv"))
        assert str(error) in str(caught.value)
    else:
        assert list(iterate_csv(io.StringIO(text, newline=""), "a.csv")) == expected


def test_threads_read_long_fields_at_once_and_the_limit_of_the_process_stays(tmp_path):
    limit = csv.field_size_limit()
    big = "word " * 100_000
    (tmp_path / "a.csv").write_text("source,target,label\n" + f'"{big}",b,1\n' * 20)
    barrier, found = threading.Barrier(8), []

    def read():
        barrier.wait()
        found.append(len(read_table(tmp_path / "a.csv")))
        found.append(csv.field_size_limit())

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert sorted(found) == [20] * 8 + [limit] * 8
