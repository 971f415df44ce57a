"""What the columns of a data frame contain, in pandas and polars, and how they become numbers."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch

from ipcae import RegressionSelector
from ipcae.errors import InputError, TrainingWarning
from ipcae.tables.encodings.cells import cells_of
from ipcae.tables.encodings.coding import UNKNOWN, ColumnCoding
from ipcae.tables.encodings.encoding import Encoding
from ipcae.tables.encodings.expansion import Expansion

NAN = np.nan
DAYS = [datetime.date(1970, 1, 2), None, datetime.date(1970, 1, 11)]

NUMBERS = {
    "integers": (pd.Series([1, 2, 3]), "number", [1, 2, 3]),
    "nullable integers": (pd.Series([1, None, 3], dtype="Int64"), "number", [1, NAN, 3]),
    "floats": (pd.Series([1.5, NAN, 3]), "number", [1.5, NAN, 3]),
    "nullable floats": (pd.Series([1.5, None], dtype="Float32"), "number", [1.5, NAN]),
    "booleans": (pd.Series([True, False]), "boolean", [1, 0]),
    "nullable booleans": (pd.Series([True, None], dtype="boolean"), "boolean", [1, NAN]),
    "boolean objects": (pd.Series([True, None], dtype=object), "boolean", [1, NAN]),
    "number objects": (pd.Series([1, 2.5, None], dtype=object), "number", [1, 2.5, NAN]),
    "errors of a spreadsheet": (
        pd.Series(["1", "#DIV/0!", "#N/A", "3"]),
        "number",
        [1, NAN, NAN, 3],
    ),
    "numbers as text": (pd.Series(["1", "?", " 2.5 ", "N/A"]), "number", [1, NAN, 2.5, NAN]),
    "numbers of a database": (pd.Series(["1", "\\N", "(null)"]), "number", [1, NAN, NAN]),
    "numbers of accounting": (pd.Series(["(1,250.5)", " - ", "7.0"]), "number", [-1250.5, NAN, 7]),
    "dates": (pd.Series(pd.to_datetime(DAYS)), "date", [1, NAN, 10]),
    "dates of a time zone": (pd.Series(pd.to_datetime(DAYS, utc=True)), "date", [1, NAN, 10]),
    "date objects": (pd.Series(DAYS, dtype=object), "date", [1, NAN, 10]),
    "durations": (pd.Series(pd.to_timedelta([1, 2], unit="D")), "number", [1, 2]),
    "nothing": (pd.Series([None, None]), "number", [NAN, NAN]),
    "polars integers": (pl.Series([1, None, 3]), "number", [1, NAN, 3]),
    "polars booleans": (pl.Series([True, None]), "boolean", [1, NAN]),
    "polars dates": (pl.Series(DAYS), "date", [1, NAN, 10]),
    "polars times": (pl.Series([datetime.datetime(1970, 1, 2, 12)]), "date", [1.5]),
    "polars durations": (pl.Series([datetime.timedelta(days=2)]), "number", [2]),
    "polars nothing": (pl.Series([None, None]), "number", [NAN, NAN]),
}
TEXTS = {
    "text": pd.Series(["a", None, " b "]),
    "objects": pd.Series(["a", np.nan, "b"], dtype=object),
    "strings": pd.Series(["a", pd.NA, "b"], dtype="string"),
    "polars text": pl.Series(["a", None, "b"]),
    "empty text": pd.Series(["a", "", "b"]),
}
CATEGORIES = {
    "categories": pd.Series(["a", None, "b"], dtype="category"),
    "polars categories": pl.Series(["a", None, "b"], dtype=pl.Categorical),
    "polars enum": pl.Series(["a", None, "b"], dtype=pl.Enum(["a", "b"])),
}


@pytest.mark.parametrize(("column", "storage", "values"), NUMBERS.values(), ids=NUMBERS.keys())
def test_numbers(column, storage, values):
    cells = cells_of(column)
    assert cells.storage == storage
    np.testing.assert_array_equal(cells.values, values)
    assert cells.missing().tolist() == np.isnan(np.array(values, dtype=float)).tolist()


@pytest.mark.parametrize("column", TEXTS.values(), ids=TEXTS.keys())
def test_texts(column):
    cells = cells_of(column)
    assert (cells.storage, cells.values.tolist()) == ("text", ["a", None, "b"])


@pytest.mark.parametrize("column", CATEGORIES.values(), ids=CATEGORIES.keys())
def test_categories(column):
    cells = cells_of(column)
    assert (cells.storage, cells.values.tolist()) == ("category", ["a", None, "b"])


@pytest.mark.parametrize(
    ("column", "content"),
    [
        (pd.Series([[1, 2], [3]]), "lists"),
        (pd.Series([{"a": 1}]), "records"),
        (pl.Series([[1, 2], [3]]), "lists"),
        (pl.Series([{"a": 1}]), "records"),
        (pl.Series([b"x"]), "binary data"),
        (pd.Series([1j]), "complex numbers"),
    ],
)
def test_what_is_no_single_value_is_left_out(column, content):
    coding = ColumnCoding.of(cells_of(column))
    assert (coding.kind, coding.describe()) == ("other", f"left out: contains {content}")


def described(values, **options):
    coding = ColumnCoding.of(cells_of(pd.Series(values)), **options)
    return coding.kind, coding.describe()


def test_kinds_and_what_is_done_with_them():
    assert described([1.5, 2.5]) == ("number", "used as it is")
    assert described([2, 2]) == ("constant", "always 2")
    assert described(["a", "a"]) == ("constant", 'always "a"')
    assert described(["b", "a", "b", "a"]) == ("category", "2 levels: a, b")
    assert described([None, None]) == ("empty", "left out: every value is missing")
    many = [f"text {i % 31}" for i in range(100)]
    assert described(many) == ("text", 'left out: 31 different texts, such as "text 0"')
    assert described(list("abc"))[0] == "identifier"
    assert described(pd.Series(list("abc"), dtype="category"))[0] == "category"
    assert described(["1.5", "<0.1", "2", "3"]) == (
        "number",
        '1 value is a limit (as "<5" or "5+"), read as the number',
    )
    assert described(["1.5", "low", "2", "3"]) == (
        "text",
        'left out: 1 of 4 values is not numeric, such as "low"',
    )
    assert described(["2024-01-31", "2024-02-01 12:00"])[0] == "date"
    assert described(["31.1.2024", "1.2.24"])[0] == "date"
    assert described(pd.to_datetime(["2024-01-31", "2024-02-01"]))[0] == "date"
    assert described(pd.to_datetime(["2024-01-31"] * 2), dates="numbers") == (
        "date as number",
        "days since 1970-01-01",
    )


@pytest.mark.parametrize(
    ("texts", "values", "unit"),
    [
        (["8,919 EUR", "n/a", "950 EUR"], [8919, NAN, 950], "EUR"),
        (["$18,719.59", "$5", "-$3"], [18719.59, 5, -3], "$"),
        (["39,7%", "8%"], [39.7, 8], "%"),
        (["−5 °C", "+3,25 °C"], [-5, 3.25], "°C"),
        (["60 mL/min/1.73m2", "1e2 mL/min/1.73m2"], [60, 100], "mL/min/1.73m2"),
        (["1 234 567", "99"], [1234567, 99], ""),
        (["0,862", "1,234"], [0.862, 1.234], ""),
    ],
)
def test_numbers_with_units_are_numbers(texts, values, unit):
    cells = cells_of(pd.Series(texts))
    np.testing.assert_equal(cells.values, values)
    assert (cells.storage, cells.unit) == ("number", unit)


@pytest.mark.parametrize(
    "texts",
    [
        ["5 kg", "7 m"],
        ["P001", "P002"],
        ["179/65", "120/80"],
        ["05 Jan 2020", "06 Jan 2020"],
        ["2019Q1", "2020Q1"],
        ["1.2.3", "1.2.4"],
        ["1,2,3", "4"],
        ["10-20 y", "20-30 y"],
        ["12:30", "13:30"],
        ["<5 mg", "7 mg"],
    ],
)
def test_codes_ranges_and_mixed_units_stay_text(texts):
    assert cells_of(pd.Series(texts)).storage == "text"


def test_other_units_than_in_fit_are_refused():
    euros = pd.DataFrame({"price": ["8,919 EUR", "950 EUR"], "n": [1, 2]})
    encoding = Encoding.of(euros)
    assert encoding.codings[0].describe() == 'numbers, in "EUR"'
    assert encoding.code(euros.assign(price=[7.5, 8]))[:, 0].tolist() == [7.5, 8]
    with pytest.raises(InputError, match='"price" of X is in "USD": expected "EUR", as in fit'):
        encoding.code(euros.assign(price=["5 USD", "6 USD"]))
    with pytest.raises(InputError, match='"n" of X is in "kg": expected numbers without a unit'):
        encoding.code(euros.assign(n=["5 kg", "6 kg"]))


@pytest.mark.parametrize(
    "texts",
    [
        ["2024-01-31T07:00:00Z", "2024-02-01T09:00:00+02:00"],
        ["31.1.2024 7:00", "01.02.2024 07:00"],
        ["2024/1/31 7:00", "2024/02/01 07:00:00"],
        ["31JAN2024:07:00:00", "1 February 2024 7:00"],
        ["Jan 31, 2024 07:00", "February 1, 2024 7:00"],
        ["31-JAN-24 07:00:00", "1-Feb-24 7:00:00 AM"],
        ["2024-01-31 07:00:00 UTC", "01 February 2024, 7:00 am"],
    ],
)
def test_dates_of_several_styles_are_numbers_of_days(texts):
    cells = cells_of(pd.Series(texts))
    coding = ColumnCoding.of(cells, dates="numbers")
    assert coding.kind == "date as number"
    assert np.diff(coding.encode(cells)) == 1
    assert coding.encode(cells)[0] == pytest.approx(19753 + 7 / 24)


@pytest.mark.parametrize(
    "texts", [["Jan-1970", "Mar-1970"], ["1970-01", "1970-03"], ["1/1970", "03/1970"]]
)
def test_months_are_dates_of_their_first_day(texts):
    cells = cells_of(pd.Series(texts))
    coding = ColumnCoding.of(cells, dates="numbers")
    assert coding.kind == "date as number"
    assert coding.encode(cells).tolist() == [0, 59]


def test_names_with_months_and_numbers_are_no_dates():
    for texts in (
        ["Sep-2", "Mar-1"],
        ["2023-24", "2024-25"],
        ["May 1999a", "June 2000b"],
        ["Jan-24", "5-7-Feb"],
    ):
        assert ColumnCoding.of(cells_of(pd.Series(texts * 3))).kind == "category"


@pytest.mark.parametrize("texts", [["3/4/2024", "5/4/2024"], ["31.1.24", "1.2.24"]])
def test_dates_that_can_be_read_in_two_ways_are_left_out(texts):
    coding = ColumnCoding.of(cells_of(pd.Series(texts)), dates="numbers")
    assert coding.describe().startswith("left out: dates must be written as 2024-01-31 or")


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["00:00", None, "6:30", "12:00:00", "23:59:59,5"]),
        pd.Series(["12:00 am", None, "6:30 AM", "12:00 p.m.", "11:59:59.5 pm"]),
        pd.Series(["0 days 00:00:00", None, "0 days 06:30:00", "-1 days +36:00:00", "23:59:59.5"]),
        pd.Series([datetime.time(), None, datetime.time(6, 30), "12:00", "23:59:59.5"]),
        pd.to_timedelta(pd.Series([0.0, None, 6.5, 12, 24 - 0.5 / 3600]), unit="h"),
    ],
)
def test_times_of_day_and_durations_are_numbers_of_days(column):
    table = pd.DataFrame({"time": column})
    encoding = Encoding.of(table)
    assert (encoding.codings[0].kind, encoding.codings[0].unit) == ("number", "days")
    coded = encoding.code(table)[:, 0].numpy() * 24
    np.testing.assert_allclose(coded, [0, np.nan, 6.5, 12, 24 - 0.5 / 3600], atol=1e-9)


def test_few_times_that_repeat_are_categories_and_many_that_repeat_are_numbers():
    shifts = pd.Series(["06:00", "14:00", "22:00"] * 4)
    assert ColumnCoding.of(cells_of(shifts)).levels == ("06:00", "14:00", "22:00")
    minutes = pd.DataFrame({"at": [f"7:{minute:02}" for minute in range(40)] * 3})
    encoding = Encoding.of(minutes)
    assert encoding.codings[0].describe() == "times, as a number of days"
    assert encoding.code(pd.DataFrame({"at": ["12:00"]})).item() == 0.5
    with pytest.raises(InputError, match='such as "noon"'):
        encoding.code(pd.DataFrame({"at": ["noon"]}))


def test_ratios_stay_text():
    titers = pd.Series(["1:10", "1:20", "1:40", "1:80", "1:160"])
    assert ColumnCoding.of(cells_of(titers)).kind == "identifier"


def test_answers_of_questionnaires_and_ordered_categories_keep_their_order():
    answers = ["Agree", None, "strongly disagree", "Neither agree nor disagree", "Strongly  Agree"]
    coding = ColumnCoding.of(cells_of(pd.Series(answers)), impute=True)
    assert (coding.kind, coding.n_missing) == ("ordered", 1)
    np.testing.assert_equal(coding.encode(cells_of(pd.Series(answers))), [2, NAN, 0, 1, 3])
    sizes = pd.Categorical(["M", "S", "L", "M"], ["S", "M", "L", "XL"], ordered=True)
    assert described(sizes) == ("ordered", "3 levels in this order: S, M, L")
    assert described(pd.Categorical(sizes, ordered=False))[0] == "category"
    assert described(["agree", "agree", "disagree", "disagree"])[0] == "category"
    assert described(["agree", "disagree", "blue", "neutral"] * 2)[0] == "category"


def test_ordered_levels_are_one_column_and_come_back_as_the_nearest_level():
    frame = pd.DataFrame({"pain": ["mild", "none", "severe", None]})
    encoding = Encoding.of(frame, impute=True)
    rows = encoding.code(frame)
    expansion = Expansion.of(encoding.codings, rows)
    assert expansion.apply(rows).tolist() == [[1, 0], [0, 0], [2, 0], [1, 1]]
    assert expansion.names(encoding.names, encoding.codings) == ["pain", "pain is missing"]
    far = torch.tensor([[-0.4], [1.4], [7.0], [NAN]])
    assert encoding.label(far)[:, 0].tolist() == ["none", "mild", "severe", None]
    with pytest.warns(TrainingWarning, match='pain: "awful"'):
        assert encoding.code(pd.DataFrame({"pain": ["awful"]})).item() == 1


def test_missing_is_a_level_only_if_values_may_be_missing():
    column = pd.Series(["a", None, "b", "a"])
    assert ColumnCoding.of(cells_of(column)).levels == ("a", "b")
    assert ColumnCoding.of(cells_of(column), impute=True).levels == ("a", "b", "(missing)")


def test_missing_written_in_words_is_the_missing_level():
    cells = cells_of(pd.Series(["a", None, "(missing)", "b", "a"]))
    coding = ColumnCoding.of(cells, impute=True)
    assert coding.levels == ("a", "b", "(missing)")
    assert coding.encode(cells).tolist() == [0, 2, 2, 1, 0]


def test_levels_are_the_same_in_any_type():
    coding = ColumnCoding("category", ("1", "2"))
    for column in (
        pd.Series([1, 2, 3]),
        pd.Series([1.0, 2.0, 3.0]),
        pd.Series(["1", "2", "3"]),
        pl.Series([1, 2, 3]),
        pd.Series([1, 2, 3], dtype="category"),
    ):
        assert coding.encode(cells_of(column)).tolist() == [0, 1, UNKNOWN]


def test_unseen_levels_are_unknown_and_named():
    encoding = Encoding.of(pd.DataFrame({"city": ["Rome", "Oslo"] * 2}))
    with pytest.warns(TrainingWarning, match=r'levels .* not seen in fit \(city: "Bonn"\)'):
        coded = encoding.code(pd.DataFrame({"city": ["Bonn", "Rome", None]}))
    np.testing.assert_array_equal(coded[:, 0], [UNKNOWN, 1, np.nan])


def test_text_in_a_column_of_numbers_is_refused():
    encoding = Encoding.of(pd.DataFrame({"age": [1.0, 2.0], "sex": ["f", "m"]}))
    with pytest.raises(InputError, match=r'"age" of X contains text .*"old".*expected numbers'):
        encoding.code(pd.DataFrame({"age": ["young", "old"], "sex": ["f", "m"]})[::-1])


def test_the_text_that_is_not_a_number_is_named():
    encoding = Encoding.of(pd.DataFrame({"cylinders": ["4", "6", "8", "4"]}))
    says = r'"cylinders" of X contains text .*"rotary".*astype\("category"\)'
    with pytest.raises(InputError, match=says):
        encoding.code(pd.DataFrame({"cylinders": ["6", None, "rotary", "4"]}))
    levels = pd.DataFrame({"cylinders": pd.Categorical(["4", "6", "8", "4"])})
    with pytest.warns(TrainingWarning, match='cylinders: "rotary"'):
        Encoding.of(levels).code(pd.DataFrame({"cylinders": ["6", "rotary", "4"]}))


def test_expansion_there_and_back():
    codings = [
        ColumnCoding("number", n_missing=2),
        ColumnCoding("text"),
        ColumnCoding("category", ("a", "b", "c")),
        ColumnCoding("number"),
    ]
    rows = torch.tensor([[1.0, 0, 2, 5], [torch.nan, 0, 0, 6], [4.0, 0, -1, 7]])
    expansion = Expansion.of(codings, rows)
    expanded = expansion.apply(rows)
    assert expanded.tolist() == [
        [1.0, 0, 0, 0, 1, 5],
        [2.5, 1, 1, 0, 0, 6],
        [4.0, 0, 0, 0, 0, 7],
    ]
    assert expansion.sizes.tolist() == [2, 0, 3, 1]
    np.testing.assert_array_equal(
        expansion.collapse(expanded)[:2], [[1, np.nan, 2, 5], [2.5, np.nan, 0, 6]]
    )
    assert expansion.observed(rows)[1].tolist() == [False, False, True, True, True, True]
    part = expansion.columns([3, 0])
    torch.testing.assert_close(part.apply(rows[:, [3, 0]]), expanded[:, [5, 0, 1]])


def test_values_at_a_detection_limit_are_read_as_the_limit():
    texts = ["<0.5", "1.2 ", "> 20", "3", None, "≤ 0.1", "7.5"]
    frame = pd.DataFrame({"crp": texts, "age": range(7)})
    encoding = Encoding.of(frame, impute=True)
    assert encoding.codings[0].n_limits == 3
    coded = encoding.code(frame)[:, 0].numpy()
    np.testing.assert_equal(coded, [0.5, 1.2, 20, 3, NAN, 0.1, 7.5])
    few = pd.DataFrame({"crp": ["<0.5", ">20"], "age": [1, 2]})
    np.testing.assert_equal(encoding.code(few)[:, 0].numpy(), [0.5, 20])


def test_groups_written_with_signs_stay_groups():
    assert described(["<18", ">65", "<18", ">65"])[0] == "category"
    assert described(["<18", "18-65", ">65", "<18", ">65", "18-65"])[0] == "category"


def test_a_fit_says_which_columns_have_limits():
    random = np.random.default_rng(0)
    crp = random.lognormal(size=80).round(2)
    X = pd.DataFrame(
        {"age": random.integers(20, 90, 80), "crp": [f"<{0.5}" if v < 0.5 else v for v in crp]}
    )
    selector = RegressionSelector(1, method="mutual-information", max_epochs=2, random_state=0)
    with pytest.warns(
        TrainingWarning, match=r'values with "<", ">" or "\+" \(crp\): they are read as'
    ):
        selector.fit(X, np.log(crp))
    assert selector.get_feature_names_out().tolist() == ["crp"]
    assert len(selector.predict(pd.DataFrame({"crp": ["<0.5"]}))) == 1


def coding_of(values):
    return ColumnCoding.of(cells_of(pd.Series(values)))


def test_a_scale_with_labels_at_its_ends_is_ordered():
    scale = ["5 - very much", "4", "3", "2", "1 - not at all"] * 4
    coding = coding_of(scale)
    assert coding.kind == "ordered"
    assert coding.encode(cells_of(pd.Series(scale)))[:5].tolist() == [4, 3, 2, 1, 0]
    assert coding.encode(cells_of(pd.Series([2, 4]))).tolist() == [1, 3]
    assert coding_of(["0 (never)", "5", "10: always"] * 4).levels[-1] == "10: always"


def test_numbered_categories_and_ranges_are_not_a_scale():
    assert coding_of(["1 - north", "2 - south", "3 - east"] * 4).kind == "category"
    assert coding_of(["18-24", "25-34", "35"] * 4).kind == "category"
    assert coding_of(["1 red", "1 blue", "2", "3"] * 4).kind != "ordered"


def test_a_column_of_several_answers_is_left_out_with_advice():
    random = np.random.default_rng(0)
    several = ["; ".join(o for o in "abcdefg" if random.random() < 0.5) for _ in range(200)]
    note = coding_of(several).note
    assert "combinations of 7 options" in note
    assert note.endswith("make one column per option")
    texts = [f"word{i}, word{i + 1}" for i in range(60)] * 2
    assert coding_of(texts).note == '60 different texts, such as "word0, word1"'


def test_the_example_of_a_column_with_words_is_not_one_that_stands_for_missing_values():
    assert coding_of(["1", "2", "-", "3", "n.d.", "4"]).note.endswith('such as "n.d."')


def test_few_combinations_of_several_answers_are_a_category_with_a_remark():
    answers = pd.Series(["a; b", "b", "c", "a; c", "b; c", "a; b; c", "a"] * 5)
    coding = ColumnCoding.of(cells_of(answers))
    assert coding.kind == "category"
    assert "(combinations of 3 options; one column per option may" in coding.describe()
