"""Select 20 of 1,000 genes of PBMC3k, and evaluate the panel with Spapros's own evaluator.

    python benchmarks/gene_panel.py prepare adata_pbmc3k.h5ad pbmc3k.npz       # needs scanpy
    python benchmarks/gene_panel.py select pbmc3k.npz panels.json              # needs ipcae
    python benchmarks/gene_panel.py evaluate adata_pbmc3k.h5ad panels.json [--out gene_panel.csv]
                                                                            # needs spapros

spapros 0.1.6 and scanpy 1.11 need other dependencies than ipcae: run the steps in two environments.
The protocol is that of Spapros's table: counts back by expm1, normalize_total, log1p, 1,000 highly
variable genes (cell_ranger). Panels are selected before any evaluation, by `panel-forward` or, with
the name "exchanged", by `panel-exchange`; these are rankings, which do not depend on the epochs of
the decoder. The accuracy is repeated with other seeds of the evaluator's folds.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path

import numpy as np

N_GENES, N_HIGHLY_VARIABLE = 20, 1000
WEIGHTS = {"both": 0.15, "exchanged": 0.15, "classes": 0.0, "reconstruction": 1.0}
SHRINKAGE = {"both": 50.0, "exchanged": 50.0}  # chosen by benchmarks/panel_recipe.py --folds 5
OTHER_SEEDS = (1, 2, 3, 4)


def prepared(path: str):
    """Return the normalized AnnData, restricted to its highly variable genes."""
    import scanpy as sc

    adata = sc.read_h5ad(path)
    adata.X = adata.X.expm1()
    del adata.uns["log1p"]
    sc.pp.normalize_total(adata)
    sc.pp.log1p(adata)
    sc.pp.highly_variable_genes(adata, flavor="cell_ranger", n_top_genes=N_HIGHLY_VARIABLE)
    return adata[:, adata.var["highly_variable"]].copy()


def prepare(source: str, out: str) -> None:
    """Write the expression, the cell types and the names of the genes."""
    adata = prepared(source)
    np.savez_compressed(
        out,
        X=adata.X.toarray().astype(np.float32),
        y=np.array(adata.obs["celltype"].astype(str), dtype=np.str_),
        genes=np.array(adata.var_names, dtype=np.str_),
    )


def select(source: str, out: str, names: list[str]) -> None:
    """Select a panel for each weight between the two objectives."""
    import pandas as pd

    from ipcae import PanelSelector
    from ipcae.selectors import PanelExchange, PanelForward

    data = np.load(source)
    X = pd.DataFrame(data["X"], columns=data["genes"])
    panels = {}
    for name in names:
        weight = WEIGHTS[name]
        start = PanelForward(shrinkage=SHRINKAGE.get(name, PanelForward.shrinkage))
        method = PanelExchange(start) if name == "exchanged" else start
        selector = PanelSelector(
            N_GENES, reconstruction_weight=weight, method=method, max_epochs=2, random_state=0
        )
        selector.fit(X, data["y"])
        panels[name] = {
            "genes": [str(gene) for gene in selector.get_feature_names_out()],
            "method": "panel-exchange" if name == "exchanged" else "panel-forward",
            "reconstruction_weight": weight,
            "shrinkage": start.shrinkage,
            "seconds": round(selector.fit_seconds_, 1),
        }
        print(name, panels[name], flush=True)
    Path(out).write_text(json.dumps(panels, indent=1))


def evaluate(source: str, panels: str, out: str) -> None:
    """Judge the panels with Spapros's evaluator, and append a row for each."""
    import scanpy as sc
    import spapros as sp

    adata = prepared(source)
    evaluator = sp.ev.ProbesetEvaluator(
        adata,
        celltype_key="celltype",
        results_dir=None,
        scheme="custom",
        metrics=["knn_overlap", "forest_clfs", "gene_corr"],
        verbosity=0,
        n_jobs=1,
    )
    found = json.loads(Path(panels).read_text())
    for panel in found:
        evaluator.evaluate_probeset(found[panel]["genes"], set_id=panel)
        results = evaluator.summary_results.loc[panel]
        values = {column: f"{value:.4f}" for column, value in results.items()}
        accuracy = values.pop("forest_clfs accuracy")
        row = {
            "panel": panel,
            **{key: found[panel][key] for key in ("method", "reconstruction_weight", "shrinkage")},
            "knn_overlap mean_overlap_AUC": values.pop("knn_overlap mean_overlap_AUC"),
            "forest_clfs accuracy": accuracy,
            "accuracy of other seeds": " ".join(other_accuracies(adata, found[panel]["genes"])),
            **values,
            "genes": " ".join(found[panel]["genes"]),
            "spapros": sp.__version__,
            "scanpy": sc.__version__,
        }
        new = not Path(out).exists()
        with Path(out).open("a", newline="") as file:
            writer = csv.DictWriter(file, list(row), lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(row)
        print(evaluator.summary_results.to_string(), flush=True)


def other_accuracies(adata, genes: list[str]) -> list[str]:
    """Return the accuracy of the panel for other seeds of the evaluator's folds."""
    from spapros.evaluation.metrics import (
        summary_metric_diagonal_confusion_mean,
        xgboost_forest_classification,
    )

    found = []
    for seed in OTHER_SEEDS:
        confusion, _ = xgboost_forest_classification(adata, genes, ct_key="celltype", seed=seed)
        found.append(f"{summary_metric_diagonal_confusion_mean(confusion):.4f}")
        print("seed", seed, found[-1], flush=True)
    return found


def main() -> None:
    """Run one of the steps."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["prepare", "select", "evaluate"])
    parser.add_argument("source")
    parser.add_argument("file")
    parser.add_argument("--panels", nargs="+", choices=WEIGHTS, default=list(WEIGHTS))
    parser.add_argument("--out", default="benchmarks/gene_panel.csv")
    options = parser.parse_args()
    if options.step == "evaluate":
        evaluate(options.source, options.file, options.out)
    elif options.step == "select":
        select(options.source, options.file, options.panels)
    else:
        prepare(options.source, options.file)


if __name__ == "__main__":
    main()
