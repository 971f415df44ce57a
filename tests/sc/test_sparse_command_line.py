"""``ipcae select`` of an AnnData file whose matrix stays sparse."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from ipcae.cli.inputs import sparse_cells
from tests import command_line
from tests.sc.cells import write_cells

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    anndata = pytest.importorskip("anndata")

N_CELLS = 240
FAST = ["--target", "type", "-k", 2, "--epochs", 2, "--runs", 1, "--device", "cpu"]


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """Return a file of 240 cells of four donors of different sizes; genes 1 and 2 mark the type."""
    donor = np.repeat(["a", "b", "c", "d"], [120, 60, 40, 20])
    lost = pd.Categorical(np.where(np.arange(N_CELLS) < 3, None, donor))
    path = tmp_path_factory.mktemp("cells") / "cells.h5ad"
    return write_cells(path, N_CELLS, 0.5, "type", donor=donor, lost=lost)


@pytest.fixture(autouse=True)
def large(monkeypatch):
    """Take 1,000 values for a large matrix."""
    monkeypatch.setattr(sparse_cells, "MANY_VALUES", 1000)


def run(*arguments):
    result = command_line.run(*arguments)
    return result.exit_code, " ".join(result.output.split())


def test_a_matrix_stays_sparse_with_batches_and_a_verdict(cells, tmp_path):
    out = tmp_path / "panel"
    code, said = run(
        "select", cells, *FAST, "--method", "ip-cae", "--batch-key", "donor", "--out", out
    )
    assert code == 0, said
    assert "The matrix stays sparse" in said
    assert "Better than chance" in said, said
    metrics = json.loads((out / "metrics.json").read_text())
    assert len(metrics["held_out_by_batch"]) >= 1
    assert metrics["chance"]["p_value"] < 0.05


def test_a_ranking_gets_the_dense_table(cells, tmp_path):
    code, said = run("select", cells, *FAST, "--no-verdict", "--out", tmp_path / "panel")
    assert code == 0, said
    assert "Method: panel-forward" in said
    assert "stays sparse" not in said


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--batch-key", "lost"], '"lost" (--batch-key) is missing for 3 of 240 cells'),
        (["--batch-key", "donors"], 'did you mean "donor"?'),
        (["--target", "lost"], '"lost" (--target) is missing for 3 of 240 cells'),
        (["--layer", "raw"], "its layers are counts"),
    ],
)
def test_missing_parts_of_the_file_raise_an_error(cells, tmp_path, options, sentence):
    fast = FAST if "--target" not in options else [o for o in FAST if o not in ("--target", "type")]
    anova = ["--method", "anova", *options, "--out", tmp_path / "panel"]
    code, said = run("select", cells, *fast, *anova)
    assert code == 2
    assert sentence in said


def test_raw_counts_are_noticed(cells, tmp_path):
    options = ["--method", "anova", "--layer", "counts", "--no-verdict"]
    code, said = run("select", cells, *FAST, *options, "--out", tmp_path / "panel")
    assert code == 0, said
    assert "looks like raw counts" in said


def test_a_matrix_stored_by_genes_is_selected_from_and_predicted(cells, tmp_path):
    by_genes, out = tmp_path / "by_genes.h5ad", tmp_path / "panel"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adata = anndata.read_h5ad(cells)
        adata.X = sparse.csc_matrix(adata.X)
        adata.write_h5ad(by_genes)
    options = ["--method", "anova", "--no-verdict", "--out", out]
    code, said = run("select", by_genes, *FAST, *options)
    assert code == 0, said
    assert "stays sparse" in said
    model = out / "model.safetensors"
    code, said = run("predict", model, by_genes, "--out", tmp_path / "a.csv")
    assert code == 0, said
    assert run("predict", model, cells, "--id", "donor", "--out", tmp_path / "b.csv")[0] == 0
    named, carried = pd.read_csv(tmp_path / "a.csv", index_col=0), pd.read_csv(tmp_path / "b.csv")
    assert named.index[:2].tolist() == ["c0", "c1"]
    assert carried.columns.tolist() == ["donor", "prediction"]
    assert (named["prediction"].to_numpy() == carried["prediction"].to_numpy()).all()
    code, said = run("predict", model, cells, "--layer", "raw")
    assert code == 2
    assert "its layers are counts" in said
