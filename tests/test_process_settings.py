"""No setting of the whole process is changed by us: limits, filters, the locale, signal handlers, error states."""

import os
import subprocess
import sys

from rekern.datasets import load_rewrites, write_table

PROGRAM = """
import csv, decimal, locale, logging, os, random, signal, socket, sys, threading, warnings
import numpy as np
import sklearn.svm, joblib, numba  # others that we use may change settings when they are imported

def list_settings():
    return {
        "csv": csv.field_size_limit(),
        "warnings": list(warnings.filters),
        "showwarning": warnings.showwarning,
        "locale": locale.setlocale(locale.LC_ALL),
        "signals": {number: signal.getsignal(number) for number in sorted(signal.valid_signals())},
        "wakeup": (lambda fd: (signal.set_wakeup_fd(fd), fd)[1])(signal.set_wakeup_fd(-1)),
        "numpy": np.geterr(),
        "print": np.get_printoptions(),
        "recursion": sys.getrecursionlimit(),
        "digits": sys.get_int_max_str_digits(),
        "switch": sys.getswitchinterval(),
        "hooks": (sys.excepthook, threading.excepthook, sys.displayhook, sys.stdout, sys.stderr),
        "random": (random.getstate(), np.random.get_state()[1].tolist()),
        "decimal": repr(decimal.getcontext()),
        "timeout": socket.getdefaulttimeout(),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "umask": (lambda mask: (os.umask(mask), mask)[1])(os.umask(0)),
        "jobs": joblib.parallel.get_active_backend()[1],
        "threads": numba.get_num_threads(),
        "streams": (sys.stdout.errors, sys.stderr.errors),
        "logging": {name: list(logging.getLogger(name).handlers) for name in (None, "sqlalchemy", "uvicorn", "rekern")},
    }

def check(user):
    after = list_settings()
    for name, value in before.items():
        assert after[name] == value, f"{user}: {name}: {value} became {after[name]}"

folder = sys.argv[1]
os.chdir(folder)
before = list_settings()
import rekern, rekern.kernels, rekern.learning, rekern.krisp, rekern.questions, rekern.similarity, rekern.structures
from rekern import PairClassifier, QuestionClassifier, load_model
from rekern.datasets import read_table, write_table
from rekern.kernels import PartialTree, Rewriting
from rekern.similarity import Similarities

pairs = [("a b c", "a c"), ("b c", "c b a"), ("a a", "a a"), ("d", "e"), ("a d", "e d"), ("a", "b c")]
write_table(f"{folder}/a.csv", {"source": [a for a, _ in pairs], "target": [b for _, b in pairs], "label": [1, 0] * 3})
table = read_table(f"{folder}/a.csv")
model = PairClassifier(Rewriting((1, 2)) + Similarities(groups=("basic", "sequences"))).fit(table.pairs, table.labels)
model.save(f"{folder}/a.rekern")
load_model(f"{folder}/a.rekern").predict_proba(pairs)
model.explain(pairs[0])
PartialTree().gram(["(a (b c))", "(a b)"], out=f"{folder}/a.npy")
try:
    PartialTree(mu=1e300, normalize=False).gram(["(a (b c))"] * 2)
except ValueError:
    pass
QuestionClassifier().fit(["who is he?", "who was she?", "where is it?", "where was it?"], list("aabb"))
from rekern.krisp.answering.europe import europe_asker
europe_asker().ask("what is the capital of france?")
"""


COMMANDS = """
demo --pairs pairs --only-pairs
train small.tsv -o m.rekern --jobs 1
predict m.rekern small.tsv -o predicted.csv
predict m.rekern no-such-file.tsv
evaluate m.rekern small.tsv --json
explain m.rekern "Anna met Ben." "Ben was met by Anna."
rules m.rekern
report m.rekern small.tsv -o report.html --top 1
match small.tsv --text source --model m.rekern -o found.csv
gram small.tsv --kernel rules -o gram.npy
expressions small.tsv
question "Why is the sky blue?"
ask "What is the capital of Estonia?"
ask "What is it?" --db none.db --model m.rekern
parse small.tsv -o parsed.tsv --columns nowhere
serve no-such-file.rekern --port 0
"""


def test_neither_the_package_nor_a_command_changes_a_setting_of_the_process(tmp_path):
    pairs, labels = load_rewrites("train", size=40)
    sources, targets = zip(*pairs)
    write_table(tmp_path / "small.tsv", {"source": sources, "target": targets, "label": labels})
    program = f"""{PROGRAM}
check("use in Python")
import contextlib, shlex
from rekern.cli.commands import app

for line in {COMMANDS!r}.strip().splitlines():
    try:
        with open("said.txt", "w") as said, contextlib.redirect_stdout(said):
            app(shlex.split(line))
    except SystemExit as end:
        is_wrong = "no-such" in line or "nowhere" in line or line.startswith("ask \\"What is it")
        assert (end.code or 0) == (2 if is_wrong else 0), f"{{line}}: {{end.code}}"
    check(line)
print("unchanged")
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout == "unchanged\n", done.stderr
