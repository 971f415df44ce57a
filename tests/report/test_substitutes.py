import numpy as np
import pytest
import torch

from ipcae.report.features import Feature
from ipcae.report.sample import Sample
from ipcae.report.substitutes import find_substitutes
from ipcae.report.substitutes_map import draw_substitutes


def feature(rank: int, name: str, *, selected: bool) -> Feature:
    return Feature(rank, rank - 1, name, selected, 1.0, 1.0, 1.0)


def test_correlations_are_numpys_and_a_twin_is_found():
    random = np.random.default_rng(0)
    values = random.normal(size=(200, 5)) * 10.0 ** np.arange(-9, 6, 3) + 7
    values[:, 3] = 50 - 1000 * values[:, 0]
    values[:, 4] = 0.1  # constant: no correlation with anything
    names = ["kept", "also", "free", "twin", "flat"]
    features = [feature(i + 1, name, selected=i < 2) for i, name in enumerate(names)]
    rows = torch.from_numpy(values)
    found = find_substitutes(features, Sample(rows, rows))
    assert found is not None
    expected = np.corrcoef(values[:, :4].T)
    for i, other in enumerate(found.others):
        column = names.index(other)
        truth = expected[:2, column] if other != "flat" else [0, 0]
        assert found.correlation[:, i] == pytest.approx(truth, abs=1e-5)
    assert found.closest[0][0] == ("twin", pytest.approx(-1, abs=1e-5))
    assert (found.n_covered, found.n_others, found.n_rows) == (1, 3, 200)
    assert "twin (−1.00)" in draw_substitutes(found, "{}")


def test_only_the_closest_are_shown_and_the_rest_counted():
    values = torch.from_numpy(np.random.default_rng(0).normal(size=(30, 100)))
    features = [feature(i + 1, f"x{i}", selected=i < 40) for i in range(100)]
    found = find_substitutes(features, Sample(values, values))
    assert found is not None
    assert found.correlation.shape == (20, 24)
    words = draw_substitutes(found, "{} given")
    assert "the first 20 of 40 selected features and the 24 of 60 unselected ones" in words
    assert "over 30 rows given" in words
