"""What the server counts, in the text format of Prometheus."""

from __future__ import annotations

import os
import sys
from bisect import bisect_left
from collections import Counter, defaultdict

from rekern.web.job_queue import JobQueue

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts of requests, their durations, and how much waits.

    >>> metrics = Metrics([])
    >>> metrics.count_request("POST", "/api/predict", 200, 0.003)
    >>> print(metrics.write().splitlines()[2])
    rekern_requests_total{method="POST",path="/api/predict",status="200"} 1
    """

    def __init__(self, queues: list[JobQueue]) -> None:
        self._queues = queues
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._durations: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._rows: Counter[str] = Counter()

    def count_request(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count an answer. ``path`` is one of the routes, so that clients cannot make up names."""
        self._requests[method, path, status] += 1
        self._durations[path][bisect_left(BOUNDS, seconds)] += 1
        self._seconds[path] += seconds

    def count_rows(self, model: str, rows: int) -> None:
        """Count the pairs or questions that a model has judged."""
        self._rows[model] += rows

    def write(self) -> str:
        """Return all counts."""
        lines = [
            "# HELP rekern_requests_total Answers, by method, path and status.",
            "# TYPE rekern_requests_total counter",
        ]
        for (method, path, status), count in sorted(self._requests.items()):
            lines.append(f'rekern_requests_total{{method="{method}",path="{path}",status="{status}"}} {count}')
        lines += [
            "# HELP rekern_request_seconds Time from the arrival of a request to the end of its answer.",
            "# TYPE rekern_request_seconds histogram",
        ]
        for path, counts in sorted(self._durations.items()):
            total = 0
            for bound, count in zip((*BOUNDS, None), counts):
                total += count
                name = "+Inf" if bound is None else f"{bound:g}"
                lines.append(f'rekern_request_seconds_bucket{{path="{path}",le="{name}"}} {total}')
            lines.append(f'rekern_request_seconds_sum{{path="{path}"}} {self._seconds[path]:.6f}')
            lines.append(f'rekern_request_seconds_count{{path="{path}"}} {total}')
        lines += ["# HELP rekern_rows_total Pairs and questions judged.", "# TYPE rekern_rows_total counter"]
        lines += [f'rekern_rows_total{{model="{_escape(name)}"}} {n}' for name, n in sorted(self._rows.items())]
        lines += ["# HELP rekern_jobs Jobs that wait or run.", "# TYPE rekern_jobs gauge"]
        lines += [f'rekern_jobs{{queue="{queue.name}"}} {queue.taken}' for queue in self._queues]
        memory = measure_memory()
        if memory is not None:
            lines += [
                "# HELP process_resident_memory_bytes Memory of the process.",
                "# TYPE process_resident_memory_bytes gauge",
                f"process_resident_memory_bytes {memory}",
            ]
        return "\n".join(lines) + "\n"


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def measure_memory() -> int | None:
    """Return the bytes of memory that the process has, where the system tells.

    >>> memory = measure_memory()
    >>> memory is None or memory > 1_000_000
    True
    """
    if not sys.platform.startswith("linux"):
        return None
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
