"""Numbers that may stand for missing values are noticed, and nothing else."""

import numpy as np
import pandas as pd
import pytest
import torch

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.errors import MissingCodeWarning, TrainingWarning
from ipcae.tables.checks.missing_codes import missing_codes
from ipcae.tables.checks.ranges import warn_of_far_values

RANDOM = np.random.default_rng(0)
AGES = RANDOM.integers(18, 95, 200).astype(float)
TEMPERATURES = RANDOM.normal(0, 15, 200)


def codes_in(values, *codes):
    column = np.concatenate([values, *([code] * 5 for code in codes)])
    return [(found.code, found.n_rows) for found in missing_codes(column[:, None])]


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (AGES, [-9]),
        (AGES, [-999]),
        (AGES, [999]),
        (AGES, [-99, -88]),
        (AGES, [-9, 999, 888]),
        (TEMPERATURES, [-999]),
        (TEMPERATURES, [9999]),
        (RANDOM.integers(1, 6, 200), [88, 99]),
    ],
)
def test_codes_are_found(values, codes):
    assert sorted(codes_in(values, *codes)) == sorted((code, 5) for code in codes)


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (AGES, [99]),
        (TEMPERATURES, [-9]),
        (TEMPERATURES, [-77]),
        (RANDOM.integers(0, 1000, 200), [999]),
        (RANDOM.lognormal(3, 3, 200), [9999]),
        (np.zeros(200), [-9]),
        (np.array([-9.0, -8.0, -7.0]), []),
        (np.full(5, np.nan), []),
    ],
)
def test_ordinary_numbers_are_not(values, codes):
    assert codes_in(values, *codes) == []


def test_a_single_code_is_an_outlier():
    column = np.append(AGES, -999.0)[:, None]
    assert missing_codes(column) == []


def test_codes_in_a_target_are_named():
    y = AGES.copy()
    y[::20] = -999
    selector = RegressionSelector(1, method="lasso", max_epochs=2, random_state=0)
    with pytest.warns(MissingCodeWarning, match=r"y has numbers .* \(10 times -999\)"):
        selector.fit(np.stack([AGES, TEMPERATURES], 1), y)


def test_a_code_in_new_rows_is_suspected():
    low, high = torch.tensor([0.0, 0.0]), torch.tensor([1.0, 2.0])
    says = "check the units of these columns, and whether -999 stands for missing values."
    with pytest.warns(TrainingWarning, match=says):
        warn_of_far_values(torch.tensor([[0.5, -999.0]]), low, high, ["a", "b"])
    with pytest.warns(TrainingWarning, match=r"check the units of these columns\.$"):
        warn_of_far_values(torch.tensor([[0.5, -500.0]]), low, high, ["a", "b"])


def test_a_fit_names_the_column_and_the_advice_works():
    frame = pd.DataFrame({"age": AGES, "sex": RANDOM.choice(["f", "m"], 200), "x": TEMPERATURES})
    y = (AGES > 50).astype(int)
    frame.loc[::20, "age"] = -999
    selector = ClassificationSelector(1, method="anova", max_epochs=2, random_state=0)
    with pytest.warns(MissingCodeWarning, match=r"\(age: 10 times -999\): if they do, replace"):
        selector.fit(frame, y)
    selector.set_params(missing="impute").fit(frame.replace(-999, np.nan), y)
    assert selector.get_feature_names_out().tolist() == ["age"]
