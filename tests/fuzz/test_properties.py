"""Properties of small parts, tested with Hypothesis."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.base import BaseEstimator

from ipcae import InputError
from ipcae.data import read_table
from ipcae.estimators.one_fit import arguments
from ipcae.tables import SCALES, fit_scaler, refuse_overflow, robust_scaler
from ipcae.tables.reading import read_new_rows
from ipcae.tables.selection_size import count_to_select
from ipcae.text import listed, printable
from tests.fuzz.outcome import check_sentence

repeatable = settings(derandomize=True, database=None, deadline=None, max_examples=150)
shapes = arrays.array_shapes(min_dims=2, max_dims=2, max_side=6)
finite = {"allow_nan": False, "allow_infinity": False}
tables = st.one_of(
    arrays.arrays(np.float64, shapes, elements=st.floats(**finite)),
    arrays.arrays(np.float32, shapes, elements=st.floats(width=32, **finite)),
)
anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.lists(st.integers()),
    st.dictionaries(st.integers(), st.integers()),
)


@repeatable
@given(tables, st.sampled_from([*SCALES, None]))
def test_a_scale_is_finite_and_scaled_values_are_too_or_are_refused(table, scale):
    rows = torch.from_numpy(table)
    scaler = fit_scaler(rows, scale)
    assert torch.isfinite(scaler.center).all()
    assert torch.isfinite(scaler.scale).all()
    assert (scaler.scale > 0).all()
    scaled = scaler.apply(rows)
    if torch.isfinite(scaled).all():
        refuse_overflow(scaler, rows)
    else:
        with pytest.raises(InputError, match="too large"):
            refuse_overflow(scaler, rows)


@repeatable
@given(tables)
def test_a_robust_scale_is_finite(table):
    scaler = robust_scaler(torch.from_numpy(table))
    assert torch.isfinite(scaler.center).all()
    assert (torch.isfinite(scaler.scale) & (scaler.scale > 0)).all()


@repeatable
@given(arrays.arrays(arrays.scalar_dtypes(), arrays.array_shapes(min_dims=0, max_side=4)))
def test_any_array_is_read_as_numbers_or_refused(array):
    try:
        options = {"categories": "auto", "missing": "error", "dates": "ignore"}
        rows, _ = read_new_rows(BaseEstimator(), array, **options)
    except InputError as error:
        check_sentence(str(error))
    else:
        assert torch.isfinite(rows).all()
        assert rows.shape == array.shape


@repeatable
@given(anything, st.integers(1, 1000))
def test_the_number_to_select_is_possible(wanted, n_features):
    try:
        assert 1 <= count_to_select(wanted, n_features) <= n_features
    except InputError as error:
        check_sentence(str(error))


@pytest.mark.parametrize(
    "parse",
    [
        arguments.learning_rate_for,
        arguments.weight_decay_for,
        arguments.validation_fraction_for,
        arguments.batch_size_for,
        arguments.precision_for,
        arguments.schedule_for,
        arguments.scale_for,
        arguments.callbacks_for,
        lambda value: arguments.positive(value, "n_runs"),
        lambda value: arguments.patience_for(value, 10),
        lambda value: arguments.fine_tune_epochs_for(value, 10),
        lambda value: arguments.decoder_for(value, arguments.Mlp()),
    ],
)
@repeatable
@given(value=anything)
def test_an_argument_is_understood_or_refused(parse, value):
    try:
        parse(value)
    except InputError as error:
        check_sentence(str(error))


@repeatable
@given(st.lists(st.text()))
def test_labels_are_listed_on_one_line(labels):
    assert len(listed(labels).splitlines()) <= 1
    assert printable(printable("".join(labels))) == printable("".join(labels))


@repeatable
@given(st.text(max_size=60), st.sampled_from([".csv", ".tsv"]))
def test_any_text_is_a_table_or_refused(tmp_path_factory, text, ending):
    path = tmp_path_factory.mktemp("tables") / f"table{ending}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        table = read_table(path)
    except InputError as error:
        check_sentence(str(error))
    else:
        assert table.size
        assert table.columns.is_unique
