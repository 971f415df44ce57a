"""``ipcae select`` of tables that are read in parts."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ipcae.cli.inputs import streamed_table
from tests.command_line import run

N_ROWS = 160


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of two Parquet files; f1 and f4 tell the kinds apart."""
    path = tmp_path_factory.mktemp("tables") / "parts"
    path.mkdir()
    X = np.random.default_rng(0).normal(size=(N_ROWS, 6)).astype(np.float32)
    kinds = np.where(X[:, 1] + X[:, 4] > 0, "yes", "no")
    for part in (0, 1):
        rows = slice(part * 80, part * 80 + 80)
        columns = {f"f{i}": X[rows, i] for i in range(6)}
        ids = np.arange(N_ROWS)[rows]
        pq.write_table(
            pa.table({"id": ids, **columns, "kind": kinds[rows]}),
            path / f"{part}.parquet",
            row_group_size=20,
        )
    return path


def select(table, out, *options):
    few = ("-k", 2, "--epochs", 3, "--runs", 1, "--no-verdict")
    return run("select", table, "--out", out, *few, *options)


def test_a_folder_that_does_not_fit_is_read_in_parts_and_predicted(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(streamed_table, "free_bytes", lambda device: 1000)
    out = tmp_path / "out"
    result = select(folder, out, "--target", "kind", "--id", "id")
    assert result.exit_code == 0, result.output
    assert "The table is read in parts" in result.output
    assert "Method: adaptive, because the table has" in result.output
    settings = json.loads((out / "settings.json").read_text())
    assert settings["table"]["rows"] == N_ROWS
    assert settings["table"]["columns"] == 6
    assert (out / "report.html").exists()
    selected = (out / "selected.txt").read_text().split()
    assert len(selected) == 2
    assert "id" not in selected
    predicted = tmp_path / "predicted.csv"
    model = out / "model.safetensors"
    result = run("predict", model, folder, "--id", "id", "--out", predicted)
    assert result.exit_code == 0, result.output
    table = pd.read_csv(predicted)
    assert table.columns.tolist() == ["id", "prediction"]
    assert table["id"].tolist() == list(range(N_ROWS))
    result = run("report", out)
    assert result.exit_code == 0, result.output


def test_a_folder_that_fits_is_read_as_a_whole(folder, tmp_path):
    result = select(folder, tmp_path / "out", "--target", "kind", "--id", "id")
    assert result.exit_code == 0, result.output
    assert "read in parts" not in result.output
    assert "Method: adaptive" in result.output


def test_arrays_in_files_have_numbered_columns(tmp_path):
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).normal(size=(60, 4)))
    result = select(tmp_path / "rows.npy", tmp_path / "out", "--stream")
    assert result.exit_code == 0, result.output
    selected = (tmp_path / "out" / "selected.txt").read_text().split()
    assert set(selected) < {"x0", "x1", "x2", "x3"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--target", "age"), 'has no column "age"'),
        (("--target", "kind", "--missing", "impute"), "--missing needs all rows in memory"),
        (("--target", "kind", "--method", "stg"), "--method stg needs all rows in memory"),
        (("--target", "kind", "--method", "auto"), "or pass --no-stream if the table fits"),
        (("--target", "kind", "--fdr", "0.1"), "--fdr needs all rows in memory"),
        (("--target", "kind", "-k", "1,2"), "several numbers of columns needs all rows in memory"),
        ((), "1 column is not numeric (kind)"),
        ((), "leave it out with --drop kind, or pass --no-stream"),
    ],
)
def test_what_cannot_be_read_in_parts_is_refused(folder, tmp_path, options, sentence):
    result = select(folder, tmp_path / "out", "--stream", *options)
    assert result.exit_code == 2, result.output
    assert sentence in " ".join(result.output.split())


def test_text_files_are_not_read_in_parts(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    result = select(tmp_path / "rows.csv", tmp_path / "out", "--stream")
    assert result.exit_code == 2
    assert "cannot be read in parts" in " ".join(result.output.split())
