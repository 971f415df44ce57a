"""The how-to page about single cells runs."""

import warnings

import pytest

from tests.pages import HOW_TO, run_page

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("anndata")

pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")


def test_a_panel_with_forced_and_forbidden_genes_is_written_into_the_adata():
    names = run_page(HOW_TO / "single-cell.md")
    adata = names["adata"]
    chosen = set(names["panel"].var_names)
    assert len(chosen) == 8
    assert "GENE1" in chosen
    assert not chosen & {"GENE2", *(f"GENE{i}" for i in range(35, 40))}
    assert adata.uns["ipcae"]["metrics"]["accuracy"] > 0.8
    assert min(adata.uns["ipcae"]["score_by_batch"].values()) > 0.8
    assert names["limited"].get_support().sum() == 8
