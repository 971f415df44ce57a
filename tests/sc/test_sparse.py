"""Sparse expression stays sparse until a batch needs it."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from ipcae import InputError, PanelSelector, TrainingWarning
from ipcae.sc import expression_costs, looks_like_counts, select
from ipcae.sc import table as tables
from ipcae.selectors.classical import rows_to_rank
from ipcae.sources import CsrSource, Source

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    anndata = pytest.importorskip("anndata")

pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")

HASTY = {"method": "ip-cae", "max_epochs": 2, "decoder": (8,), "refit": False, "random_state": 0}


def cells(n_cells, n_genes, n_detected=20):
    """Return cells of three types, marked by genes 0 to 2."""
    random = np.random.default_rng(0)
    types = np.arange(n_cells) % 3
    genes = random.integers(3, n_genes, size=(n_cells, n_detected))
    genes = np.column_stack([types, genes]).astype(np.int32)
    values = random.exponential(size=genes.shape).astype(np.float32)
    values[:, 0] += 2
    ends = np.arange(0, genes.size + 1, n_detected + 1)
    X = sparse.csr_matrix((values.ravel(), genes.ravel(), ends), shape=(n_cells, n_genes))
    X.sum_duplicates()
    obs = {"cell_type": np.array(["B", "NK", "T"])[types], "donor": np.arange(n_cells) // 3 % 3}
    return anndata.AnnData(
        X,
        obs=pd.DataFrame(obs, index=[f"cell{i}" for i in range(n_cells)]),
        var=pd.DataFrame(index=[f"GENE{i}" for i in range(n_genes)]),
    )


def memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in lines)
    return int(status[field].split()[0]) * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of the memory from /proc")
def test_a_sparse_table_is_never_dense_as_a_whole():
    adata = cells(16_000, 3_000)
    settings = HASTY | {"max_epochs": 1, "fine_tune": False, "batch_size": 512}
    select(adata[:2000].copy(), 3, target="cell_type", **settings)  # what libraries allocate once
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again
    select(adata, 3, target="cell_type", validation_fraction=0.02, **settings)
    assert memory("VmHWM") - before < 4 * 16_000 * 3_000


@pytest.mark.parametrize("target", ["cell_type", None])
def test_a_sparse_table_gives_the_panel_of_a_dense_one(target):
    adata = cells(240, 12, n_detected=4)
    dense = adata.copy()
    dense.X = dense.X.toarray()
    for each in (adata, dense):
        select(each, 3, target=target, batch_key="donor", **HASTY)
    assert adata.var["ipcae_score"].tolist() == dense.var["ipcae_score"].tolist()
    one, other = adata.uns["ipcae"], dense.uns["ipcae"]
    assert one["metrics"] == pytest.approx(other["metrics"], rel=1e-6)
    assert one["score_by_batch"].keys() == other["score_by_batch"].keys() == {"0", "1", "2"}


def test_methods_that_need_a_dense_table_say_how_large_it_would_be(monkeypatch):
    adata = cells(240, 12, n_detected=4)
    monkeypatch.setattr(tables, "free_bytes", lambda device: 1000)
    with pytest.raises(
        InputError, match="method='stg' needs a dense table: 240 cells and 12 genes"
    ):
        select(adata, 3, target="cell_type", **{**HASTY, "method": "stg"})
    settings = {name: value for name, value in HASTY.items() if name != "method"}
    assert select(adata, 3, target="cell_type", **settings).method_ == "ip-cae"


def test_a_ranking_of_a_table_that_does_not_fit_samples_its_cells(monkeypatch):
    adata = cells(240, 12, n_detected=4)
    settings = HASTY | {"method": "panel-forward"}
    expected = select(adata, 3, target="cell_type", **settings).get_support()
    monkeypatch.setattr(tables, "free_bytes", lambda device: 1000)
    assert (select(adata, 3, target="cell_type", **settings).get_support() == expected).all()
    monkeypatch.setattr(rows_to_rank, "SAMPLE_BYTES", 1)
    monkeypatch.setattr(rows_to_rank, "FEWEST_SAMPLED", 100)
    with pytest.warns(TrainingWarning, match="random sample of 100 of 192 rows"):
        sampled = select(adata, 3, target="cell_type", **settings)
    assert sampled.get_support()[:3].sum() >= 2


def test_halves_of_a_sparse_table_are_selected_from_as_those_of_a_dense_one(monkeypatch):
    adata = cells(240, 12, n_detected=4)
    dense = adata.copy()
    dense.X = dense.X.toarray()
    settings = HASTY | {"method": "panel-forward", "n_subsamples": 4}
    select(dense, 3, target="cell_type", **settings)
    monkeypatch.setattr(tables, "free_bytes", lambda device: 1000)
    select(adata, 3, target="cell_type", **settings)
    assert adata.var["ipcae_stability"].sum() == pytest.approx(3)
    # The halves are the same, but rankings of sparse ones do without their validation cells.
    certain = dense.var["ipcae_stability"] == 1
    assert certain.sum() == 2
    assert (adata.var["ipcae_stability"][certain] == 1).all()


@pytest.mark.parametrize("loss", ["poisson", "negative_binomial", "hurdle"])
def test_sparse_counts_give_the_fit_of_dense_ones(loss):
    adata = cells(240, 12, n_detected=4)
    adata.layers["counts"] = (adata.X * 4).rint()
    dense = adata.copy()
    dense.layers["counts"] = dense.layers["counts"].toarray()
    fits = [select(each, 3, layer="counts", loss=loss, **HASTY) for each in (adata, dense)]
    assert fits[0].validation_loss_ == pytest.approx(fits[1].validation_loss_, rel=1e-6)
    assert adata.uns["ipcae"]["metrics"] == pytest.approx(dense.uns["ipcae"]["metrics"], rel=1e-6)
    counts = CsrSource(adata.layers["counts"], list(adata.var_names))
    as_table = fits[0].score(dense.to_df(layer="counts"))
    assert fits[0].score(counts.with_window(4096)) == pytest.approx(as_table, rel=1e-9)


def test_validation_cells_of_a_sparse_table_are_a_sample(monkeypatch):
    monkeypatch.setattr(tables, "HELD_OUT_BYTES", 4 * 12 * 150)
    values = sparse.csr_array(np.eye(400, 12, dtype=np.float32))
    selector = PanelSelector(3, method="ip-cae")
    table = tables.table_for(selector, values, list("abcdefghijkl"), 1)
    assert isinstance(table, Source)
    held = tables.held_out_sample(table, np.arange(100, 400), seed=0)
    assert len(held) == 150
    assert set(held.tolist()) <= set(range(100, 400))


def test_a_file_that_is_open_may_be_selected_from(tmp_path):
    adata = cells(240, 12, n_detected=4)
    anndata.settings.allow_write_nullable_strings = True
    adata.write_h5ad(tmp_path / "cells.h5ad")
    opened = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    select(opened, 3, target="cell_type", **HASTY)
    select(adata, 3, target="cell_type", **HASTY)
    assert opened.uns["ipcae"]["genes"].tolist() == adata.uns["ipcae"]["genes"].tolist()


def test_sparse_and_dense_expression_are_judged_alike():
    dense = cells(240, 12, n_detected=4).X.toarray()
    assert np.allclose(
        expression_costs(sparse.csr_array(dense), (0.9, 2.0)), expression_costs(dense, (0.9, 2.0))
    )
    counts = np.round(dense * 30)
    assert looks_like_counts(sparse.csr_array(counts))
    assert not looks_like_counts(sparse.csr_array(dense))
