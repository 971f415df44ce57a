"""Many fits in one process, whose memory must stay flat."""

from __future__ import annotations

import gc
from pathlib import Path

from tests.fuzz import fits
from tests.fuzz.outcome import Outcome, judged

ALLOWED = 32 * 2**20  # bytes, for what allocators keep
_WARM_UP = 60


def resident() -> int:
    """Return the memory that this process holds, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def flat_memory(n_fits: int) -> Outcome:
    """Repeat the same fits, and compare the memory after the first rounds with that at the end."""
    if not Path("/proc/self/statm").exists():
        return Outcome("memory", n_fits, answered=False)
    before = after = 0
    for number in range(_WARM_UP + n_fits):
        judged("fits", number % 20, fits.fit)
        if number == _WARM_UP:
            gc.collect()
            before = resident()
    gc.collect()
    after = resident()
    grown = after - before
    failure = f"{n_fits} fits left {grown / 2**20:.0f} MiB" if grown > ALLOWED else ""
    return Outcome("memory", n_fits, answered=True, failure=failure)
