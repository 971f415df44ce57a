"""A process with less memory than the table takes can still fit it."""

import os
import subprocess
import sys

import numpy as np
import pytest

# The limit leaves room for 200 MB on top of what the libraries have allocated.
FIT = """
import resource, sys
import numpy as np
from ipcae import ClassificationSelector, Mlp
from ipcae.sources import open_source

path, kind = sys.argv[1:]
ClassificationSelector(1, method="ip-cae", max_epochs=1).fit(np.random.rand(40, 3), [0, 1] * 20)
known = dict(line.split(":") for line in open("/proc/self/status"))
limit = int(known["VmData"].split()[0]) * 1024 + 200 * 10**6
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
X = np.load(path) if kind == "array" else open_source(path).with_window(2**22)
y = np.arange(len(X)) % 2
selector = ClassificationSelector(
    2, method="ip-cae", max_epochs=1, fine_tune=False, batch_size=512, validation_fraction=0.01,
    decoder=Mlp((16,)), device="cpu", random_state=0,
).fit(X, y)
assert selector.predict(X).shape == (len(X),)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_a_table_of_400_mb_is_fitted_with_200_mb(tmp_path):
    n_rows, n_columns = 100_000, 1000
    tile = np.random.default_rng(0).normal(size=(1000, n_columns)).astype(np.float32)
    table = np.lib.format.open_memmap(
        tmp_path / "rows.npy", mode="w+", dtype=np.float32, shape=(n_rows, n_columns)
    )
    for start in range(0, n_rows, 1000):
        table[start : start + 1000] = tile
    del table

    # Stacks of threads and arenas of malloc count as data, and their number depends on the cores.
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}

    def fit(kind):
        command = [sys.executable, "-c", FIT, str(tmp_path / "rows.npy"), kind]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    streamed, in_memory = fit("file"), fit("array")
    assert streamed.returncode == 0, streamed.stderr
    assert in_memory.returncode != 0
    assert "MemoryError" in in_memory.stderr or "allocate" in in_memory.stderr
