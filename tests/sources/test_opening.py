"""Files and folders that are opened as sources, and what is wrong with bad ones."""

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr

from ipcae import ClassificationSelector, InputError
from ipcae.sources import open_source
from tests.sources.kinds import cells

X = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
KIND = np.where(X[:, 0] > 0, "T", "B").tolist()


def write(path, **columns):
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), path, row_group_size=16)
    return path.parent


@pytest.fixture
def folder(tmp_path):
    for part in (0, 1):
        rows = slice(part * 30, part * 30 + 30)
        columns = {"a": X[rows, 0], "b": X[rows, 1], "kind": KIND[rows], "c": X[rows, 2]}
        write(tmp_path / "parts" / f"{part}.parquet", **columns)
    return tmp_path / "parts"


def test_the_target_of_a_folder_of_parquet_files_is_not_a_feature(folder):
    source, y = open_source(folder, target="kind")
    assert source.names == ["a", "b", "c"]
    assert y.tolist() == KIND
    assert np.array_equal(source.take(np.arange(60)), X)
    selector = ClassificationSelector(1, max_epochs=2, random_state=0).fit(source, y)
    assert selector.method_ == "adaptive"
    # Columns that the model does not read may be text.
    assert selector.predict(open_source(folder)).shape == (60,)


def test_one_parquet_file_is_opened_without_a_folder(folder):
    assert open_source(folder / "0.parquet").drop("kind").shape == (30, 3)


@pytest.mark.parametrize("name", ["cells.h5ad", "cells.zarr"])
def test_targets_of_cells_are_columns_of_obs(tmp_path, name):
    path = cells(tmp_path / name, X, obs={"kind": np.array(KIND, dtype=object)})
    source, y = open_source(path, target="kind")
    assert (source.names, y.tolist()) == (["f0", "f1", "f2"], KIND)
    with pytest.raises(InputError, match='no column "age": its columns are kind'):
        open_source(path, target="age")
    with pytest.raises(InputError, match="no layer 'counts'"):
        open_source(path, key="counts")


def test_bad_folders_are_refused_in_one_sentence(folder, tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        open_source(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no \.parquet files"):
        open_source(tmp_path / "empty")
    with pytest.raises(InputError, match='no column "y": its columns are a, b, kind, c'):
        open_source(folder, target="y")
    with pytest.raises(InputError, match=r"1 of 4 columns .* not numeric \(kind: string\)"):
        ClassificationSelector(1).fit(open_source(folder), KIND)
    write(folder / "2.parquet", a=X[:, 0], b=X[:, 1].astype(np.float64), d=X[:, 2])
    with pytest.raises(InputError, match=r"2\.parquet differs from 0\.parquet: it has no kind, c"):
        open_source(folder)
    with pytest.raises(InputError, match="has no rows"):
        open_source(write(tmp_path / "none" / "0.parquet", a=X[:0, 0]))
    (tmp_path / "text.parquet").write_text("no Parquet")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        open_source(tmp_path / "text.parquet")


def test_missing_values_are_refused_with_their_column(tmp_path):
    values = [None if i == 3 else float(i) for i in range(60)]
    folder = write(tmp_path / "gaps" / "0.parquet", a=values, b=X[:, 1], y=values)
    with pytest.raises(InputError, match=r'column "y" of .* has missing values'):
        open_source(folder, target="y")
    with pytest.raises(InputError, match=r"1 NaN value in 1 of 2 columns \(a: 1\)"):
        ClassificationSelector(1, max_epochs=1).fit(open_source(folder).drop("y"), KIND)


def test_other_bad_files_are_refused_in_one_sentence(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="cannot be read in parts"):
        open_source(tmp_path / "rows.csv")
    for name in ("rows.h5", "rows.npy"):
        (tmp_path / name).write_text("text")
        with pytest.raises(InputError, match="cannot be read as"):
            open_source(tmp_path / name)
    np.savez(tmp_path / "archive.npz", X=X)
    (tmp_path / "archive.npz").rename(tmp_path / "archive.npy")
    (tmp_path / "empty.npy").touch()
    for name in ("archive.npy", "empty.npy"):
        with pytest.raises(InputError, match="cannot be read as an array"):
            open_source(tmp_path / name)
    with h5py.File(tmp_path / "two.h5", "w") as file:
        file["one"], file["two"], file["three"] = X, X, X[0]
    with pytest.raises(InputError, match="has 3 arrays: name one"):
        open_source(tmp_path / "two.h5")
    assert open_source(tmp_path / "two.h5", key="two").shape == (60, 3)
    with pytest.raises(InputError, match=r"shape \(3,\)"):
        open_source(tmp_path / "two.h5", key="three")
    with pytest.raises(InputError, match="pass the target as an array"):
        open_source(tmp_path / "two.h5", target="y", key="two")
    group = zarr.open_group(tmp_path / "two.zarr", mode="w")
    group.create_array("one", data=X)
    assert open_source(tmp_path / "two.zarr").shape == (60, 3)
    with pytest.raises(InputError, match="no array 'two'"):
        open_source(tmp_path / "two.zarr", key="two")
