"""The paper's splits into training, validation and test rows."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from ipcae.data import CATALOGUE, Split, load, paper_split
from ipcae.data.split import PREPARATIONS, _random_split
from ipcae.errors import InputError

PAPERS = [name for name, dataset in CATALOGUE.items() if dataset.in_paper]
SIZES = {
    "mnist": (7200, 1800, 1500),
    "fashion_mnist": (7200, 1800, 1500),
    "isolet": (4990, 1248, 1559),
    "coil20": (864, 288, 288),
    "har": (5881, 1471, 2947),
    "mice_protein": (648, 216, 216),
}


@pytest.fixture(scope="module")
def split_of(original_data: Path):
    return cache(lambda name: paper_split(name, download=False))


def parts(split: Split):
    return (
        (split.X_train, split.y_train),
        (split.X_val, split.y_val),
        (split.X_test, split.y_test),
    )


@pytest.mark.parametrize("name", PAPERS)
def test_sizes_and_types(split_of, name):
    split = split_of(name)
    assert tuple(len(y) for _, y in parts(split)) == SIZES[name]
    for X, y in parts(split):
        assert X.shape == (len(y), split.dataset.n_features)
        assert (X.dtype, y.dtype) == (np.float32, np.int64)
        assert np.isfinite(X).all()
        assert np.array_equal(np.unique(y), np.arange(split.dataset.n_classes))
    assert split.dataset is CATALOGUE[name]


@pytest.mark.parametrize("name", PAPERS)
def test_no_row_is_in_two_parts_and_official_test_rows_only_test(original_data, name):
    table = load(name)
    _, train, val, test = PREPARATIONS[name](table, "class")
    rows = np.concatenate([train, val, test])
    assert len(np.unique(rows)) == len(rows) == sum(SIZES[name])
    if table.is_test is not None:
        assert table.is_test[test].all()
        assert not table.is_test[np.concatenate([train, val])].any()


def test_rows_are_split_as_torch_random_split_does():
    for n_rows, fractions in ((6_238, [0.8]), (1_440, [0.6, 0.2])):
        lengths = [int(fraction * n_rows) for fraction in fractions]
        lengths.append(n_rows - sum(lengths))
        generator = torch.Generator().manual_seed(42)
        expected = torch.utils.data.random_split(range(n_rows), lengths, generator)
        for part, subset in zip(
            _random_split(np.arange(n_rows), *fractions), expected, strict=True
        ):
            assert part.tolist() == list(subset.indices)


def test_mnist_equals_a_split_of_a_split(split_of):
    def random_split(rows, fractions):
        return torch.utils.data.random_split(rows, fractions, torch.Generator().manual_seed(42))

    table, split = load("mnist"), split_of("mnist")
    train, val = random_split(random_split(range(60_000), [0.15, 0.85])[0], [0.8, 0.2])
    test, _ = random_split(range(60_000, 70_000), [0.15, 0.85])
    for subset, (X, y) in zip((train, val, test), parts(split), strict=True):
        rows = list(subset)
        pixels = torch.from_numpy(table.X[rows]).div(255).sub(0.1306).div(0.3080)
        np.testing.assert_array_equal(y, table.y[rows])
        np.testing.assert_array_equal(X, pixels.numpy())


def test_fashion_mnist_uses_the_same_rows_and_its_own_scale(split_of):
    table, split = load("fashion_mnist"), split_of("fashion_mnist")
    rows = _random_split(_random_split(np.arange(60_000), 0.15)[0], 0.8)[1]
    expected = (table.X[rows] / 255 - 0.2873) / 0.3529
    np.testing.assert_allclose(split.X_val, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["isolet", "har"])
def test_scaling_is_fitted_on_the_whole_official_training_set(split_of, name):
    split = split_of(name)
    seen = np.concatenate([split.X_train, split.X_val])
    varying = np.ptp(seen, axis=0) > 0
    np.testing.assert_allclose(seen.min(axis=0), 0, atol=1e-7)
    np.testing.assert_allclose(seen.max(axis=0)[varying], 1, atol=1e-6)
    assert split.X_train.max(axis=0)[varying].min() < 1
    table = load(name)
    np.testing.assert_array_equal(split.y_test, table.y[table.is_test])


def test_coil20_is_taken_as_it_is(split_of):
    table, split = load("coil20"), split_of("coil20")
    train, _, test = _random_split(np.arange(1_440), 0.6, 0.2)
    np.testing.assert_array_equal(split.X_train, table.X[train])
    np.testing.assert_array_equal(split.y_test, table.y[test])


def mice_by_pandas(fill: str):
    """Prepare mice_protein a second way."""
    pd = pytest.importorskip("pandas")
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import MinMaxScaler

    table = load("mice_protein")
    X, y = pd.DataFrame(table.X.astype(float)), table.y
    if fill == "class":
        X = X.groupby(y).transform(lambda column: column.fillna(column.mean()))
    X_train, X_rest, _, y_rest = train_test_split(X, y, train_size=0.6, random_state=42)
    X_val, X_test, _, y_test = train_test_split(X_rest, y_rest, test_size=0.5, random_state=42)
    if fill == "train":
        X_val, X_test = X_val.fillna(X_train.mean()), X_test.fillna(X_train.mean())
        X_train = X_train.fillna(X_train.mean())
    scaler = MinMaxScaler().fit(X_train)
    return [scaler.transform(part) for part in (X_train, X_val, X_test)], y_test


@pytest.mark.parametrize("impute", ["class", "train"])
def test_mice_protein_equals_a_second_preparation(original_data, impute):
    split = paper_split("mice_protein", impute=impute)
    expected, y_test = mice_by_pandas(impute)
    for (X, _), other in zip(parts(split), expected, strict=True):
        np.testing.assert_allclose(X, other, atol=2e-6)
    np.testing.assert_array_equal(split.y_test, y_test)
    assert split.X_train.min() == 0
    assert split.X_train.max() == 1


def test_filling_by_class_tells_the_label_and_filling_from_train_does_not(original_data):
    table = load("mice_protein")
    gap = int(np.isnan(table.X).sum(axis=0).argmax())
    filled = {}
    for impute in ("class", "train"):
        split = paper_split("mice_protein", impute=impute)
        values = split.X_test[:, gap]
        repeated = [v for v in np.unique(values) if (values == v).sum() > 1]
        filled[impute] = [set(split.y_test[values == v].tolist()) for v in repeated]
    assert len(filled["class"]) > 1
    assert all(len(labels) == 1 for labels in filled["class"])
    assert max(len(labels) for labels in filled["train"]) > 1


def test_a_dataset_outside_the_paper_has_no_split():
    with pytest.raises(InputError, match="worm_neuron is not in the paper"):
        paper_split("worm_neuron")


def test_an_unknown_way_to_impute_is_refused():
    with pytest.raises(InputError, match='"class" or "train", not \'mean\''):
        paper_split("mice_protein", impute="mean")
