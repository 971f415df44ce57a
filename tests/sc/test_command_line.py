"""``ipcae select`` of an AnnData file."""

import json
import warnings

import numpy as np
import pytest

from tests.command_line import run
from tests.sc.cells import write_cells

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    anndata = pytest.importorskip("anndata")

FAST = ["-k", "3", "--epochs", "3", "--runs", "1", "--method", "anova", "--device", "cpu"]


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """Return a file of 160 cells of four donors; genes 1 and 2 mark the type."""
    donor = [f"d{i}" for i in np.arange(160) // 40]
    path = tmp_path_factory.mktemp("cells") / "cells.h5ad"
    return write_cells(path, 160, 2, "cell_type", donor=donor)


def test_a_panel_of_an_h5ad_file_is_judged_by_batch(cells, tmp_path):
    out = tmp_path / "panel"
    arguments = ["--target", "cell_type", "--batch-key", "donor", "--task", "panel"]
    result = run("select", cells, *arguments, *FAST, "--out", out)
    assert result.exit_code == 0, result.output
    chosen = set((out / "selected.txt").read_text().split())
    assert {"GENE1", "GENE2"} <= chosen
    metrics = json.loads((out / "metrics.json").read_text())
    assert len(metrics["held_out_by_batch"]) == 1  # one donor of four is held out
    (of_batch,) = metrics["held_out_by_batch"].values()
    assert of_batch["accuracy"] == metrics["held_out"]["accuracy"] > 0.8
    (batch,) = metrics["held_out_by_batch"]
    assert f"batch {batch}: accuracy" in result.output
    (out / "report.html").unlink()
    again = run("report", out)
    assert again.exit_code == 0, again.output
    page = (out / "report.html").read_text()
    assert "Confusion matrix" in page
    assert "Held-out batches" in page


def test_raw_counts_are_noticed(cells, tmp_path):
    arguments = ["--target", "cell_type", "--layer", "counts"]
    result = run("select", cells, *arguments, *FAST, "--out", tmp_path / "counts")
    assert result.exit_code == 0, result.output
    assert "looks like raw counts" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--target", "celltype"], 'did you mean "cell_type"?'),
        (["--layer", "scaled"], "its layers are counts"),
        (["--batch-key", "donors"], 'did you mean "donor"?'),
        (["--batch-key", "donor", "--drop-missing"], "cannot be used with --batch-key"),
        (["--batch-key", "donor", "--weights", "size"], "--weights cannot be used with"),
        (["--expression-limits", "4:1"], "4:1 is not understood: expected a lower and an upper"),
        (["--expression-limits", "strong"], "such as 1:4, or one of them, such as 1: or :4"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_names_that_are_not_in_the_file_raise_an_error(cells, tmp_path, arguments, sentence):
    result = run("select", cells, *arguments, *FAST, "--out", tmp_path / "out")
    assert result.exit_code != 0
    assert sentence in " ".join(result.output.split())


def test_a_layer_of_a_csv_file_is_refused(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b,c,d\n" + "1,2,3,4\n" * 20)
    result = run("select", table, "--layer", "counts", *FAST, "--out", tmp_path / "out")
    assert result.exit_code != 0
    assert "--layer is for .h5ad files" in " ".join(result.output.split())


def test_a_file_that_is_not_an_anndata_raises_an_error(tmp_path):
    broken = tmp_path / "broken.h5ad"
    broken.write_bytes(b"no HDF5")
    result = run("select", broken, *FAST, "--out", tmp_path / "out")
    assert result.exit_code != 0
    assert "broken.h5ad cannot be read as HDF5" in " ".join(result.output.split())


def test_counts_of_a_layer_are_reconstructed_without_a_warning(cells, tmp_path):
    out = tmp_path / "panel"
    fast = ["-k", 3, "--epochs", 3, "--runs", 1, "--method", "pfa", "--no-verdict"]
    options = ["--layer", "counts", "--loss", "poisson", "--drop", "GENE7"]
    result = run("select", cells, *options, *fast, "--out", out)
    assert result.exit_code == 0, result.output
    assert "raw counts" not in result.output
    assert "d2" in (out / "metrics.json").read_text()
    settings = json.loads((out / "settings.json").read_text())
    assert settings["parameters"]["loss"] == "poisson"


def test_the_weight_between_the_objectives_is_an_option(cells, tmp_path):
    arguments = ["select", cells, "--target", "cell_type", *FAST, "--reconstruction-weight", 0.2]
    refused = run(*arguments, "--task", "classification", "--out", tmp_path / "a")
    assert refused.exit_code == 2
    assert "use it with --task panel" in " ".join(refused.output.split())
    result = run(*arguments, "--no-verdict", "--out", tmp_path / "b")
    assert result.exit_code == 0, result.output
    settings = json.loads((tmp_path / "b" / "settings.json").read_text())
    assert (settings["task"], settings["parameters"]["reconstruction_weight"]) == ("panel", 0.2)


def test_a_loss_of_another_task_is_refused_with_those_of_this_one(cells, tmp_path):
    result = run("select", cells, "--loss", "cox", *FAST, "--out", tmp_path / "a")
    assert result.exit_code == 2
    assert "expected one of squared_error" in " ".join(result.output.split())


def test_a_file_that_is_read_in_parts_is_for_a_panel_too(cells, tmp_path):
    hasty = ["-k", "2", "--epochs", "2", "--runs", "1", "--device", "cpu", "--no-verdict"]
    out = tmp_path / "panel"
    result = run("select", cells, "--target", "cell_type", "--stream", *hasty, "--out", out)
    assert result.exit_code == 0, result.output
    settings = json.loads((out / "settings.json").read_text())
    assert (settings["task"], settings["method"]) == ("panel", "ip-cae")


def changed(cells, path, change):
    """Write a changed copy of a file of cells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other versions of pandas
        adata = anndata.read_h5ad(cells)
        change(adata)
        adata.write_h5ad(path)
    return path


@pytest.mark.parametrize("stream", ["--no-stream", "--stream"])
def test_a_gene_outside_the_expression_limits_is_replaced_by_another(cells, tmp_path, stream):
    fast = [*FAST, "-k", "1", "--task", "classification", "--target", "cell_type"]
    fast += ["--no-verdict", stream]

    def select(path, out, *more):
        result = run("select", path, *fast, *more, "--out", out)
        assert result.exit_code == 0, result.output
        return (out / "selected.txt").read_text().split()

    (best,) = select(cells, tmp_path / "best")

    def strengthen(adata):
        values = adata.X.toarray() if hasattr(adata.X, "toarray") else np.array(adata.X)
        values[:, list(adata.var_names).index(best)] *= 1000
        adata.X = values

    path = changed(cells, tmp_path / "strong.h5ad", strengthen)
    assert select(path, tmp_path / "strong") == [best]
    (other,) = select(path, tmp_path / "limited", "--expression-limits", ":100")
    assert {best, other} == {"GENE1", "GENE2"}
    settings = json.loads((tmp_path / "limited/settings.json").read_text())
    assert settings["arguments"]["expression_limits"] == [None, 100]
    assert run("report", tmp_path / "limited").exit_code == 0


@pytest.mark.parametrize("stream", ["--no-stream", "--stream"])
def test_genes_of_the_same_name_raise_an_error(cells, tmp_path, stream):
    def repeat(adata):
        adata.var_names = ["GENE1", *adata.var_names[1:]]

    path = changed(cells, tmp_path / "repeated.h5ad", repeat)
    result = run("select", path, "--target", "cell_type", *FAST, stream, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "several genes of the same name (GENE1)" in " ".join(result.output.split())


def test_weights_of_cells_are_in_obs(cells, tmp_path):
    def weight(adata):
        adata.obs["size"] = np.arange(160) // 2 % 2

    path = changed(cells, tmp_path / "weighted.h5ad", weight)
    fast = [*FAST, "--target", "cell_type", "--no-verdict"]
    result = run("select", path, *fast, "--weights", "size", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "80 rows of weight 0 are left out." in result.output


def test_expression_limits_need_the_name_of_a_method(cells, tmp_path):
    given = ["--expression-limits", "1:", "--method", "auto", "-k", "2"]
    result = run("select", cells, *given, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "name one, such as ip-cae" in " ".join(result.output.split())


def test_expression_limits_of_a_csv_file_are_refused(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b,c,d\n" + "1,2,3,4\n2,1,4,3\n" * 20)
    result = run("select", table, "--expression-limits", "1:4", *FAST, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "--expression-limits is for .h5ad files" in " ".join(result.output.split())
