"""No setting of the whole process is changed by us: limits, filters, the locale, signal handlers, error states."""

import csv
import locale
import os
import signal
import subprocess
import sys

PROGRAM = """
import csv, decimal, locale, os, random, signal, socket, sys, threading, warnings
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
    }

before = list_settings()
import rekern, rekern.kernels, rekern.learning, rekern.krisp, rekern.questions, rekern.similarity, rekern.structures
from rekern import PairClassifier, QuestionClassifier, load_model
from rekern.datasets import read_table, write_table
from rekern.kernels import PartialTree, Rewriting
from rekern.similarity import Similarities

folder = sys.argv[1]
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
from rekern.krisp.answering.europe import quick_europe_asker
quick_europe_asker().ask("what is the capital of france?")
after = list_settings()
for name, value in before.items():
    assert after[name] == value, f"{name}: {value} became {after[name]}"
print("unchanged")
"""


def test_using_the_package_changes_no_setting_of_the_process(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout == "unchanged\n", done.stderr


def test_importing_the_commands_changes_no_setting_of_this_process():
    before = csv.field_size_limit(), locale.setlocale(locale.LC_ALL), signal.getsignal(signal.SIGINT)
    from cli.running import invoke

    invoke("question", "who wrote this?")
    assert (csv.field_size_limit(), locale.setlocale(locale.LC_ALL), signal.getsignal(signal.SIGINT)) == before
