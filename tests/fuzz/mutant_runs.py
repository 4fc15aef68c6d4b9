"""Runs of mutants in child processes; a child that dies names the mutant, and the run goes on behind it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
EXPECTED = ("refused", "loaded", "other input")


def run_mutants(
    models: Path, first: int, last: int, environment: dict[str, str] | None = None
) -> tuple[dict[str, int], list[str]]:
    """Try the mutants with these numbers; return how many ended in which way, and what went wrong."""
    counts: dict[str, int] = dict.fromkeys(EXPECTED, 0)
    failures: list[str] = []
    while first < last:
        lines, code, errors = _run_child(models, first, last, environment or {})
        begun = [line for line in lines if "begin" in line]
        ended = {line["end"]: line["result"] for line in lines if "end" in line}
        for line in begun:
            result = ended.get(line["begin"], f"the process ended with code {code} {errors}")
            if result in counts:
                counts[result] += 1
            else:
                failures.append(f"mutant {line['begin']} of {line['model']!r}: {result} ({line['what']})")
        if code == 0:
            break
        if not begun:
            failures.append(f"the process ended with code {code} before mutant {first}: {errors}")
            break
        first = begun[-1]["begin"] + 1
    return counts, failures


def _run_child(models: Path, first: int, last: int, environment: dict[str, str]) -> tuple[list[dict], int, str]:
    command = [sys.executable, str(FOLDER / "try_mutants.py"), str(models), str(first), str(last)]
    paths = [str(FOLDER), *sys.path]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path), **environment}
    done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{") and line.endswith("}")]
    return lines, done.returncode, " ".join(done.stderr.split())[-300:]
