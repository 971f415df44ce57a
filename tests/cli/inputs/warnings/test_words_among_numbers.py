"""Words, open ends and codes in columns of numbers."""

import numpy as np
import pytest

from ipcae import load

EVERY_FIFTH = np.arange(60) % 5 == 0


@pytest.fixture
def not_done(numbers):
    """Return a table whose columns a and b say "not done" in every fifth row."""
    columns = {name: numbers[name].astype(object).mask(EVERY_FIFTH, "not done") for name in "ab"}
    return numbers.assign(**columns)


def test_a_word_because_of_which_numbers_are_left_out_is_named(select, not_done):
    outcome = select(not_done, "--target", "price", "--missing", "impute")
    assert outcome.code == 0
    assert (
        'columns of numbers are left out because of words ("not done" in a, b): if they stand for '
        "missing values, use --missing-value 'not done' --missing impute." in outcome.err
    )


@pytest.mark.parametrize("word", ["<LOD", "n.d.", "BDL", "not detected"])
def test_words_for_values_below_a_detection_limit_have_another_advice(select, not_done, word):
    outcome = select(not_done.replace("not done", word), "--target", "price")
    assert f'because of words ("{word}" in a, b)' in outcome.err
    assert "If they are values below a detection limit, write the limit, such as" in outcome.err


def test_other_words_have_no_advice_on_limits(select, not_done):
    assert "detection limit" not in select(not_done, "--target", "price").err


def test_numbers_with_decimal_commas_are_not_words(select, not_done, tmp_path):
    path = tmp_path / "german.csv"
    not_done.to_csv(path, sep=";", decimal=",", index=False)
    outcome = select(path, "--target", "price")
    assert '"not done" in a, b' in outcome.err
    assert 'left out: 12 of 60 values are not numeric, such as "not done"' in outcome.out


def test_different_units_in_a_column_are_named(select, numbers):
    units = np.where(EVERY_FIFTH, "lb", "kg")
    weights = [f"{70 + 9 * value:.2f} {unit}" for value, unit in zip(numbers.a, units, strict=True)]
    outcome = select(numbers.assign(weight=weights), "--target", "price")
    assert (
        'numbers are left out because of different units ("kg" and "lb" in weight): convert them '
        "to one unit." in outcome.err
    )


def test_how_columns_are_used_is_shown_before_k_is_refused(select, not_done):
    outcome = select(not_done, "--target", "price", "-k", 5)
    assert outcome.code == 2
    assert "-k 5 is more than the 4 columns" in outcome.err
    assert 'left out: 12 of 60 values are not numeric, such as "not done"' in outcome.out


def test_rows_that_differ_in_text_are_not_repeated(select, numbers):
    rough = numbers.assign(**dict.fromkeys("bcdef", 1)).round(0)
    rough["a"] = np.arange(60) // 2
    texts = [f"{value:.4f}" for value in numbers.a]
    rough["lab"] = np.where(EVERY_FIFTH, "not done", texts)
    assert "repeat an earlier row" not in select(rough, "--target", "price").err
    assert "30 of 60 rows repeat" in select(rough.assign(price=rough.a % 7, lab=1), "--force").err


def test_an_open_end_is_read_as_a_number(select, numbers):
    children = np.array(["0", "1", "2", "3+"])[np.arange(60) % 4]
    outcome = select(numbers.assign(children=children), "--target", "price")
    assert '15 values are limits (as "<5" or "5+"), read as the number' in outcome.out
    assert "7 columns to select from" in outcome.out


def test_the_model_remembers_the_values_that_stand_for_missing_ones(
    select, ipcae, numbers, tmp_path
):
    table = numbers.assign(**{name: numbers[name].mask(EVERY_FIFTH, -999) for name in "abcdef"})
    given = ("--missing", "impute", "--missing-value", -999, "--target", "price")
    assert select(table, *given, "-k", 6).code == 0
    model = tmp_path / "out/model.safetensors"
    assert load(model).missing_values_ == ["-999"]
    plain = ipcae("predict", model, tmp_path / "table.csv")
    assert plain.err == ""
    assert plain.out == ipcae("predict", model, tmp_path / "table.csv", "--missing-value", -999).out


def test_many_columns_of_one_kind_share_a_line(select, numbers):
    items = {f"item {i}": np.where(numbers.a > i / 10, "agree", "disagree") for i in range(4)}
    outcome = select(numbers.assign(**items), "--target", "price")
    assert " item 0, item 1, item 2, … 1 more   category" in outcome.out


def test_row_names_with_gaps_identify_the_rows(select, numbers):
    names = np.random.default_rng(0).permutation(1000)[:60]
    outcome = select(numbers.assign(**{"row.names": names}), "--target", "price")
    assert "left out: all values differ" in outcome.out


def test_warnings_are_in_the_words_of_the_command_line(select, numbers):
    town = np.array(["Oslo", "Rome"])[np.arange(60) % 2].astype(object)
    town[:15] = [f"village {i}" for i in range(15)]
    outcome = select(numbers.assign(town=town), "--target", "price")
    assert "the table has levels that were not seen in training (town:" in outcome.err
