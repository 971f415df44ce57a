"""Parsing the original files of the data sets."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ipcae.data import CATALOGUE, Table, load


@pytest.fixture(scope="module")
def table_of(original_data: Path):
    return cache(lambda name: load(name, download=False))


@pytest.mark.parametrize(
    ("name", "n_rows", "low", "high"),
    [
        ("mnist", 70_000, 0, 255),
        ("fashion_mnist", 70_000, 0, 255),
        ("isolet", 7_797, -1, 1),
        ("coil20", 1_440, 0, 1),
        ("har", 10_299, -1, 1),
        ("mice_protein", 1_080, None, None),
        ("worm_neuron", 4_186, 0, 219),
    ],
)
def test_shapes_types_and_ranges(table_of, name, n_rows, low, high):
    table: Table = table_of(name)
    dataset = CATALOGUE[name]
    assert table.X.shape == (n_rows, dataset.n_features)
    assert (table.X.dtype, table.y.dtype) == (np.float32, np.int64)
    assert np.array_equal(np.unique(table.y), np.arange(dataset.n_classes))
    assert table.X.flags.c_contiguous
    if low is not None:
        assert (table.X.min(), table.X.max()) == (low, high)
    for names, length in (
        (table.feature_names, dataset.n_features),
        (table.class_names, dataset.n_classes),
    ):
        assert names is None or len(set(names)) == len(names) == length
    for rows in (table.is_test, table.groups):
        assert rows is None or rows.shape == (n_rows,)
    assert repr(table) == f"Table({name}: {n_rows} rows, {dataset.n_features} features)"


def counts(table: Table, rows=slice(None)) -> list[int]:
    return np.bincount(table.y[rows]).tolist()


def test_fashion_mnist_has_as_many_of_each(table_of):
    table = table_of("fashion_mnist")
    assert counts(table, ~table.is_test) == [6_000] * 10
    assert counts(table, table.is_test) == [1_000] * 10


def test_mnist_is_upright(table_of):
    table = table_of("mnist")
    assert table.is_test.sum() == 10_000
    assert table.y[:5].tolist() == [5, 0, 4, 1, 9]
    ones = table.X[table.y == 1].mean(axis=0).reshape(CATALOGUE["mnist"].grid)
    assert np.ptp(ones.mean(axis=0)) > np.ptp(ones.mean(axis=1))


def test_coil20_is_upright_when_read_down_its_columns(table_of):
    table, dataset = table_of("coil20"), CATALOGUE["coil20"]
    assert counts(table) == [72] * 20
    # A car is wider than high; the third object is one.
    car = table.X[table.y == 2].mean(axis=0).reshape(dataset.grid, order=dataset.grid_order) > 0.1
    assert car.any(axis=0).sum() > car.any(axis=1).sum()


def test_isolet_misses_three_letters(table_of):
    table = table_of("isolet")
    train, test = counts(table, ~table.is_test), counts(table, table.is_test)
    names = table.class_names
    assert {names[i]: n for i, n in enumerate(train) if n != 240} == {"F": 238}
    assert {names[i]: n for i, n in enumerate(test) if n != 60} == {"M": 59}


def test_har_labels_and_people(table_of):
    table = table_of("har")
    assert counts(table, ~table.is_test) == [1226, 1073, 986, 1286, 1374, 1407]
    assert counts(table, table.is_test) == [496, 471, 420, 491, 532, 537]
    assert table.class_names[-1] == "LAYING"
    people = set(table.groups[~table.is_test]), set(table.groups[table.is_test])
    assert (len(people[0]), len(people[1]), people[0] & people[1]) == (21, 9, set())


@pytest.mark.parametrize("signal", ["fBodyAcc", "fBodyAccJerk", "fBodyGyro"])
def test_har_names_given_three_times_are_the_three_axes(table_of, signal):
    table = table_of("har")

    def columns(kind: str) -> list[int]:
        return [table.feature_names.index(f"{signal}-{kind}-{axis}") for axis in "XYZ"]

    both = np.corrcoef(table.X[:, columns("bandsEnergy()-1,24") + columns("energy()")].T)
    assert both[:3, 3:].argmax(axis=1).tolist() == [0, 1, 2]
    assert np.diag(both[:3, 3:]).min() > 0.95


def test_mice_protein_classes_missing_values_and_mice(table_of):
    table = table_of("mice_protein")
    missing = np.isnan(table.X)
    assert (missing.sum(), missing.any(axis=0).sum()) == (1_396, 49)
    assert table.class_names[0b000] == "t-SC-s"
    assert table.class_names[0b001] == "c-SC-s"
    assert table.class_names[0b010] == "t-SC-m"
    assert table.class_names[0b100] == "t-CS-s"
    sizes = dict(zip(table.class_names, counts(table), strict=True))
    assert (sizes["c-CS-m"], sizes["t-CS-s"], sizes["t-SC-s"]) == (150, 105, 135)
    assert table.feature_names[0] == "DYRK1A_N"
    assert np.bincount(table.groups).tolist() == [15] * 72


def test_worm_neuron_counts_whole_molecules(table_of):
    table = table_of("worm_neuron")
    assert counts(table) == [842, 334, 1015, 443, 400, 314, 305, 224, 239, 70]
    assert np.array_equal(table.X[:500], np.round(table.X[:500]))
