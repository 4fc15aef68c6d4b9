"""What one request may cost."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1_000_000
BODIES = 8  # of the largest size that are in memory at once


@dataclass(frozen=True)
class ServingLimits:
    """The limits of the server; who goes beyond one gets an answer that names it.

    >>> ServingLimits(megabytes=2).body
    2000000
    """

    megabytes: float = 16.0  # of the body of a request
    characters: int = 20_000  # of a text
    rows: int = 20_000  # of a batch or a file
    seconds: float = 30.0  # from the arrival of a request to its answer
    file_seconds: float = 600.0  # the same for a file
    workers: int = 2  # jobs that run at once
    waiting: int = 16  # jobs that wait for a worker; more are refused

    @property
    def body(self) -> int:
        """The most bytes of a body."""
        return int(self.megabytes * MEGABYTE)

    @property
    def room(self) -> int:
        """The most bytes of the bodies of all requests together, until they are answered."""
        return BODIES * self.body
