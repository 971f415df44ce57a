"""Tables whose rows are features, and whose target is a row or in another file."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def expression():
    """Genes in rows, samples in columns."""
    values = np.random.default_rng(0).normal(size=(20, 12)).round(2)
    return pd.DataFrame(values, columns=[f"S{i}" for i in range(12)])


@pytest.mark.parametrize("name", ["", "ID"])
def test_a_target_that_is_a_row_is_pointed_out(select, expression, name):
    genes = expression.astype(object)
    genes.loc[20] = ["ill", "well"] * 6
    genes.insert(0, name, [*(f"gene {i}" for i in range(20)), "group"])
    outcome = select(genes, "--target", "group")
    assert outcome.code == 2
    assert "It has a row of this name: exchange rows and columns first." in outcome.err
    assert "row of this name" not in select(genes, "--target", "groups").err


@pytest.mark.parametrize("name", ["gene_id", "#OTU ID", "Feature ID"])
def test_a_target_that_is_missing_beside_genes_in_rows_has_another_advice(select, expression, name):
    expression.insert(0, name, [f"G{i}" for i in range(20)])
    outcome = select(expression, "--target", "group")
    assert outcome.code == 2
    assert "Its rows seem to be genes or the like: exchange rows and columns" in outcome.err


@pytest.mark.parametrize(
    "name", ["cg006371{}", "ILMN_20{}", "2019{}_s_at", "NM_0001{}.2", "rs99{}"]
)
def test_probes_and_variants_in_rows_are_pointed_out_by_their_names(select, expression, name):
    rows = expression.copy()
    rows.insert(
        0, "", [name.format(10 + i) if "cg" not in name else f"cg{i:08}" for i in range(20)]
    )
    assert "seem to be genes or the like, but columns are selected" in select(rows).err
