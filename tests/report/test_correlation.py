"""Correlations of the selected features with the unselected ones."""

import numpy as np
import pytest
import torch

from ipcae.evaluation import Sample
from ipcae.feature_table import FeatureTable
from ipcae.report.correlation import correlate
from ipcae.report.sections.correlation_map import draw_correlations
from ipcae.rows import Rows
from ipcae.tables.encodings.coding import ColumnCoding


def table(names: list[str], n_selected: int) -> FeatureTable:
    """Rank the features in the order of their columns."""
    indices, ones = np.arange(len(names)), np.ones(len(names))
    selected = indices < n_selected
    return FeatureTable(names, indices, selected, ones, ones, ones, ones, n_others=1)


def test_correlations_are_numpys_and_a_twin_is_found():
    random = np.random.default_rng(0)
    values = random.normal(size=(200, 5)) * 10.0 ** np.arange(-9, 6, 3) + 7
    values[:, 3] = 50 - 1000 * values[:, 0]
    values[:, 4] = 0.1  # constant: no correlation with anything
    names = ["kept", "also", "free", "twin", "flat"]
    found = correlate(table(names, 2), Sample(Rows(torch.from_numpy(values))))
    assert found is not None
    expected = np.corrcoef(values[:, :4].T)
    for i, other in enumerate(found.others):
        column = names.index(other)
        truth = expected[:2, column] if other != "flat" else [0, 0]
        assert found.correlation[:, i] == pytest.approx(truth, abs=1e-5)
    assert found.closest[0][0] == ("twin", pytest.approx(-1, abs=1e-5))
    assert (found.n_covered, found.n_others, found.n_rows) == (1, 3, 200)
    assert "twin (−1.00)" in draw_correlations(found, "given")


def test_categories_are_compared_by_their_levels_in_any_order():
    random = np.random.default_rng(0)
    city = random.integers(0, 20, 200)
    country, mayor = city // 5, random.permutation(20)[city]
    price = np.array([5.0, 1, 9, 2])[country]
    values = np.stack([city, mayor, country, price, random.integers(0, 20, 200)], 1)
    levels = ColumnCoding("category", tuple(f"{i:02}" for i in range(20)))
    codings = [levels, levels, levels, ColumnCoding("number"), levels]
    names = ["city", "mayor", "country", "price", "free"]
    sample = Sample(Rows(torch.from_numpy(values)))
    found = correlate(table(names, 1), sample, codings)
    assert found is not None
    strength = dict(zip(found.others, found.correlation[0], strict=True))
    assert strength["mayor"] == pytest.approx(1)
    assert strength["country"] == pytest.approx(1)
    assert strength["price"] == pytest.approx(1)
    assert strength["free"] < 0.2
    assert "Categories have no sign" in draw_correlations(found, "given")
    assert "Categories" not in draw_correlations(correlate(table(names, 1), sample), "given")


def test_only_the_closest_are_shown_and_the_rest_counted():
    values = torch.from_numpy(np.random.default_rng(0).normal(size=(30, 100)))
    found = correlate(table([f"x{i}" for i in range(100)], 40), Sample(Rows(values)))
    assert found is not None
    assert found.correlation.shape == (20, 24)
    words = draw_correlations(found, "given")
    assert "the first 20 of 40 selected features" in words
    assert "the 24 of 60 unselected features" in words
    assert "on 30 given rows" in words
