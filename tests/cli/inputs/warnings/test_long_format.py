"""A table of which every row is one measurement of a sample is pointed out."""

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.inputs.warnings.other_layouts import warn_of_long_format
from ipcae.cli.messages import Messages


@pytest.fixture
def long():
    """Five analytes of each of 30 samples, whose status is the target."""
    random, sample = np.random.default_rng(0), np.repeat(np.arange(30), 5)
    return pd.DataFrame(
        {
            "sample": [f"S{number}" for number in sample],
            "analyte": np.tile(["glucose", "lactate", "urea", "CRP", "Hb"], 30),
            "value": random.normal(size=150),
            "age": random.integers(20, 90, 30)[sample],
            "status": np.array(["ill", "well"])[sample % 2],
        }
    )


def warnings_about(table, target):
    messages = Messages(quiet=True)
    warn_of_long_format(table.drop(columns=target), table[target], messages)
    return messages.warnings


def test_one_measurement_per_row_is_pointed_out_with_the_command_that_helps(select, long):
    outcome = select(long, "--target", "status", "--include", "nothing")
    assert 'a row for every "sample" and "analyte"' in outcome.err
    code = (
        'table.pivot(index=["sample", "status"], columns="analyte", values="value").reset_index()'
    )
    assert code in outcome.err
    assert eval(code, {"table": long}).shape == (30, 7)


def test_a_few_missing_measurements_do_not_matter(long):
    assert len(warnings_about(long.sample(frac=0.9, random_state=0), "status")) == 1


def test_visits_with_several_measurements_and_trials_of_conditions_are_no_long_format(long):
    assert warnings_about(long.assign(other=long["value"] ** 2), "status") == []
    assert warnings_about(long.assign(status=np.tile(["ill", "well"], 75)), "status") == []
    assert warnings_about(pd.concat([long, long]), "status") == []
    assert warnings_about(long, "value") == []
