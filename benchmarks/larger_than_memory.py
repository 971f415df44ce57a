"""Fit a table of 8 GB in a process that may use 2 GB.

    python benchmarks/larger_than_memory.py [--rows 500000] [--kind memmap parquet] [--limit-gb 2]

The table, 500,000 x 4,000 float32 with 20 classes that the first 40 columns tell apart, is written
to a temporary folder in chunks. A new process, whose data segment is limited with RLIMIT_DATA (all
memory that it allocates; the pages of a mapped file belong to the cache of the system), fits a
selector with a few epochs, predicts every row and appends a row: seconds of the passes, and the
peak of the resident set, with and without pages of files. ``load`` is the system's load average at
the end. ``--kind array --limit-gb 0`` shows what an array in memory needs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from rows import new_parser, write

N_CLASSES = 20
CHUNK = 5000


def chunk(number: int, n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return some rows of the table and their classes."""
    random = np.random.default_rng(number)
    labels = random.integers(0, N_CLASSES, n_rows)
    rows = random.standard_normal((n_rows, n_columns), dtype=np.float32)
    rows[np.arange(n_rows), labels] += 3
    rows[np.arange(n_rows), labels + N_CLASSES] -= 3
    return rows, labels


def write_table(folder: Path, kind: str, n_rows: int, n_columns: int) -> None:
    """Write the table in chunks."""
    every = []
    if kind == "memmap":
        table = np.lib.format.open_memmap(
            folder / "rows.npy", mode="w+", dtype=np.float32, shape=(n_rows, n_columns)
        )
    else:
        (folder / "parts").mkdir()
    for number, start in enumerate(range(0, n_rows, CHUNK)):
        rows, labels = chunk(number, min(CHUNK, n_rows - start), n_columns)
        every.append(labels)
        if kind == "memmap":
            table[start : start + len(rows)] = rows
            continue
        import pyarrow as pa
        import pyarrow.parquet as pq

        names = [f"f{i}" for i in range(n_columns)]
        part = pa.table([*rows.T, labels], names=[*names, "kind"])
        path = folder / "parts" / f"{number:05}.parquet"
        pq.write_table(part, path, row_group_size=1000, compression="none", use_dictionary=False)
    np.save(folder / "labels.npy", np.concatenate(every))


def fit(folder: Path, kind: str, limit: float, epochs: int) -> None:
    """Fit in this process, which is limited; print the measurements as JSON."""
    import resource

    if limit:
        resource.setrlimit(resource.RLIMIT_DATA, (int(limit * 2**30),) * 2)
    from ipcae import ClassificationSelector
    from ipcae.sources import open_source

    peak = Peak()
    y = np.load(folder / "labels.npy")
    if kind == "array":
        source = np.load(folder / "rows.npy")
    elif kind == "memmap":
        source = open_source(folder / "rows.npy")
    else:
        source, y = open_source(folder / "parts", target="kind")
    began = time.perf_counter()
    ends: list[float] = []
    selector = ClassificationSelector(
        20,
        method="ip-cae",
        max_epochs=epochs,
        fine_tune=1,
        batch_size=2048,
        callbacks=lambda report: ends.append(time.perf_counter()),
        device="cpu",
        random_state=0,
    ).fit(source, y)
    fitted = time.perf_counter()
    right = float((selector.predict(source) == y).mean())
    done = time.perf_counter()
    found = sorted(selector.selection_.features.tolist())
    print(
        json.dumps(
            {
                "seconds_per_epoch": round(float(np.median(np.diff(ends[:epochs]))), 2)
                if epochs > 1
                else round(ends[0] - began, 2),
                "seconds_of_fit": round(fitted - began, 1),
                "seconds_of_predict": round(done - fitted, 1),
                "resident_peak_mb": peak.highest["VmHWM"],
                "anonymous_peak_mb": peak.highest["RssAnon"],
                "informative_found": sum(feature < 2 * N_CLASSES for feature in found),
                "accuracy_on_all_rows": round(right, 4),
            }
        )
    )


class Peak:
    """Watch the memory of this process in a thread."""

    def __init__(self):
        self.highest = {"VmHWM": 0, "RssAnon": 0}
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while True:
            for line in Path("/proc/self/status").read_text().splitlines():
                name, _, value = line.partition(":")
                if name in self.highest:
                    size = int(value.split()[0]) // 1000
                    self.highest[name] = max(self.highest[name], size)
            time.sleep(0.02)


def main() -> None:
    """Write the tables, fit each in a process of its own, and append the rows."""
    parser = new_parser(__doc__, "larger_than_memory.csv")
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--columns", type=int, default=4000)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--limit-gb", type=float, default=2.0, help="0: no limit")
    parser.add_argument("--kind", nargs="+", default=["memmap", "parquet"])
    parser.add_argument("--fit", help="the folder of a table to fit in this process")
    parser.add_argument("--folder", help="where to write the temporary table")
    options = parser.parse_args()
    if options.fit:
        fit(Path(options.fit), options.kind[0], options.limit_gb, options.epochs)
        return
    for kind in options.kind:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            stored = "memmap" if kind == "array" else kind
            write_table(Path(folder), stored, options.rows, options.columns)
            command = [sys.executable, __file__, "--fit", folder, "--kind", kind]
            command += ["--epochs", str(options.epochs), "--limit-gb", str(options.limit_gb)]
            done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
            if done.returncode:
                sys.exit(done.stderr[-3000:])
            size = {"rows": options.rows, "features": options.columns, "runs": 1, "nodes": 20}
            table = {"table_mb": options.rows * options.columns * 4 // 10**6}
            limit = {"limit_gb": options.limit_gb, "epochs": options.epochs}
            row = {"rows_are": kind} | size | table | limit | json.loads(done.stdout)
            row["load"] = round(os.getloadavg()[0], 1)
            write(Path(options.out), [row])
            print(row, flush=True)


if __name__ == "__main__":
    main()
