"""
A gene panel: 20 of 765 genes for ten blood cell types
======================================================

Spatial transcriptomics often measures few genes in many cells. A panel should tell the cell types
apart and also show how cells of the same type differ. Some genes must be in it, others must not.

The cells are 700 of 10x Genomics' PBMC 68k, from a file that comes with scanpy.
"""

import warnings
from importlib.util import find_spec
from pathlib import Path

import anndata
import matplotlib.pyplot as plt
import numpy as np

import ipcae.sc

folder = Path(find_spec("scanpy").origin).parent / "datasets"
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the file is in an older format
    adata = anndata.read_h5ad(folder / "10x_pbmc68k_reduced.h5ad").raw.to_adata()
adata.obs["cell type"] = adata.obs["bulk_labels"].astype(str)
print(adata.shape, adata.obs["cell type"].nunique(), "types")

# %%
# CD3D, a marker of T cells, is always included. Ribosomal genes are excluded: they say more about
# the state of a cell than about its type.

selector = ipcae.sc.select(
    adata,
    20,
    target="cell type",
    include=["CD3D"],
    exclude=["^RP[LS]"],
    max_epochs=60,
    random_state=0,
)
panel = list(adata.uns["ipcae"]["genes"])
print(*panel[:10], sep=", ")
print(*panel[10:], sep=", ")
selector

# %%
# The panel is written to ``adata.var``. The plot shows the mean of each gene in each cell type,
# scaled from white (the lowest mean of the gene) to blue (the highest).

types = sorted(adata.obs["cell type"].unique())
dense = adata[:, panel].X.toarray()
means = np.array(
    [dense[(adata.obs["cell type"] == name).to_numpy()].mean(axis=0) for name in types]
)
means = (means - means.min(axis=0)) / np.ptp(means, axis=0)
order = np.argsort(means.argmax(axis=0))

figure, axis = plt.subplots(figsize=(9, 4.2), layout="constrained")
picture = axis.imshow(means[:, order], cmap="Blues", aspect="auto")
figure.colorbar(picture, label="mean expression, scaled from 0 to 1", shrink=0.8)
axis.set_xticks(range(len(panel)), np.array(panel)[order], rotation=60, ha="right")
axis.set_yticks(range(len(types)), types)
axis.set_title("Twenty genes, ten cell types")
plt.show()
