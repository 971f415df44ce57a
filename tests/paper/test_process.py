"""The command as a process: killed, with workers, and on a machine with few packages."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paper.cell import cell
from paper.command import main
from paper.cost import longest_first
from paper.protocol import QUICK
from paper.store import Store
from paper.train import run_cell
from paper.workers import Workers, run_in_workers

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = ["--quick", "--dataset", "mice_protein", "--runs", "2", "--epochs", "30"]


def figures(folder):
    return [row[:7] for row in Store(folder).rows()]


def test_running_needs_numpy_scipy_torch_and_scikit_learn_alone(tmp_path, splits):
    absent = ("pandas", "matplotlib", "h5py", "typer", "pooch", "safetensors", "pyarrow")
    code = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {absent!r}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Absent())
from paper.command import main
options = ["--quick", "--dataset", "mice_protein", "--runs", "1", "--epochs", "2", "--jobs", "1"]
options += ["--splits", {splits!r}, "--results", {str(tmp_path)!r}, "--methods", "cae-family"]
sys.exit(main(["run", "all", *options]))
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    assert {row.dataset for row in Store(tmp_path).rows()} == {"mice_protein"}


def test_processes_change_no_result_and_a_cell_that_fails_stops_no_other(splits):
    protocol = QUICK.restricted(n_runs=1, epochs=2)
    names = ("cae", "pivoted-qr", "ip-cae")
    cells = [cell(protocol, "mice_protein", "reconstruction", name) for name in names]
    no_rows = cell(protocol, "coil20", "reconstruction", "ip-cae")
    results = run_in_workers([no_rows, *cells], splits, "cpu", Workers(1, 1), alone=cells[:1])
    found = [next(results) for _ in cells]
    with pytest.raises(FileNotFoundError, match="coil20"):
        next(results)
    # The first cell has the device for itself.
    assert [own.method for own, _, _ in found][-1] == "cae"
    for own, rows, curves in found:
        expected, expected_curves = run_cell(own, splits, "cpu")
        assert [row[:7] for row in rows] == [row[:7] for row in expected]
        assert curves == expected_curves


def test_the_longest_cells_are_trained_first():
    names = ("anova", "cae", "random-forest", "gjsd")
    cells = [cell(QUICK, "coil20", "classification", name) for name in names]
    first, second, *_ = (own.method for own in longest_first(cells))
    assert (first, second) == ("random-forest", "gjsd")


@pytest.mark.slow
def test_killed_and_started_again_gives_the_same_table(tmp_path, splits, capsys):
    options = [*OPTIONS[:-1], "200", "--splits", splits, "--device", "cpu"]
    options += ["--methods", "cae-family"]
    alone = [*options, "--jobs", "1"]
    whole = tmp_path / "whole"
    main(["run", "table-1", *alone, "--results", str(whole)])
    for attempt in range(5):  # on a busy machine it may have ended before it is killed
        killed = tmp_path / f"killed {attempt}"
        command = [sys.executable, "-m", "paper", "run", "table-1", *alone]
        with subprocess.Popen(
            [*command, "--results", str(killed)], cwd=ROOT, stdout=subprocess.PIPE
        ) as process:
            process.stdout.readline()  # it has begun
            time.sleep(random.uniform(0.0, 1.0))
            process.send_signal(signal.SIGKILL)
        if len(figures(killed)) < len(figures(whole)):
            break
    else:
        pytest.fail("it was always killed too late")
    main(["run", "table-1", *options, "--jobs", "2", "--results", str(killed)])
    assert figures(killed) == figures(whole)
    assert Store(killed).curves() == Store(whole).curves()
    assert not list(killed.rglob("*.part"))
