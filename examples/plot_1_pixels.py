"""
Pixels: which 16 predict the other 48?
======================================

A camera that can read only 16 of its 64 pixels should choose those from which the rest of the image
can be reconstructed. No labels are needed: the selector looks for the columns that say most about
all the others.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from ipcae import ReconstructionSelector

images = load_digits().data
train, test = train_test_split(images, random_state=0)
varying = train.std(axis=0) > 0.1  # some pixels are (nearly) always black

selector = ReconstructionSelector(16, exclude=~varying, max_epochs=25, random_state=0).fit(train)
print(f"{selector.score(test):.1%} of the variance is explained by 16 of 64 pixels")

# %%
# A fitted selector shows its features and how much they matter: the rise of the loss when the
# values of a pixel are shuffled.

selector

# %%
# ``transform`` keeps the selected pixels, ``reconstruct`` predicts all 64 from them.

measured = selector.transform(test)
reconstructed = selector.reconstruct(measured)

# %%
# For comparison, the same network on 16 random pixels, and on the 16 with the largest variance.

random = np.random.default_rng(0).choice(np.flatnonzero(varying), 16, replace=False)
variable = np.argsort(train.var(axis=0))[-16:]
for name, pixels in [("random", random), ("most variable", variable)]:
    others = np.setdiff1d(np.arange(64), pixels)
    fixed = ReconstructionSelector(16, exclude=list(others), max_epochs=25, random_state=0)
    print(f"{fixed.fit(train).score(test):.1%} with the {name} pixels")

# %%

support = selector.get_support().reshape(8, 8)
rows = {"image": test[:8], "measured": None, "reconstructed": reconstructed[:8]}
figure, axes = plt.subplots(3, 8, figsize=(9, 3.6), layout="constrained")
for line, (name, values) in zip(axes, rows.items(), strict=True):
    for number, axis in enumerate(line):
        if values is None:
            shown = np.where(support, test[number].reshape(8, 8), np.nan)
            axis.set_facecolor("0.92")
        else:
            shown = values[number].reshape(8, 8)
        axis.imshow(shown, cmap="gray_r", vmin=0, vmax=16)
        axis.set(xticks=[], yticks=[])
    line[0].set_ylabel(name)
plt.show()
