"""``torchrun --nproc-per-node 2 -m ipcae select``."""

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.app import run
from tests.distributed.fits import CLASSES, X

FILES = ("selected.txt", "ranking.csv", "metrics.json", "history.csv")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    names = [f"column {i}" for i in range(X.shape[1])]
    labels = np.array(["low", "middle", "high"])[CLASSES]
    pd.DataFrame(X, columns=names).assign(label=labels).to_csv(path, index=False)
    return path


def test_two_processes_write_the_files_of_one(torchrun, table, tmp_path):
    options = ["--target", "label", "-k", "4", "--method", "ip-cae", "--runs", "2", "--epochs", "5"]
    code, output = torchrun("-m", "ipcae", "select", table, *options, "-o", tmp_path / "two")
    assert code == 0, output
    assert output.count("Selected 4 of 13 columns") == 1
    assert run(["select", str(table), *options, "-o", str(tmp_path / "one"), "--quiet"]) == 0
    for name in FILES:
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    assert '"spread": "runs over 2 processes"' in (tmp_path / "two/settings.json").read_text()


def test_a_wrong_word_is_refused(table, tmp_path, capsys):
    assert run(["select", str(table), "-k", "4", "-o", str(tmp_path), "--spread", "columns"]) == 2
    assert "--spread columns is not understood: expected runs or rows." in capsys.readouterr().err
