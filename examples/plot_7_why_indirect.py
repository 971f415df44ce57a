"""
Why indirect? The nodes of a concrete autoencoder, epoch by epoch
=================================================================

A concrete autoencoder has K nodes, each with a distribution over all features. If the logits are
trained directly, several nodes often end up at the same feature, and others never decide. IP-CAE
computes the logits from an embedding and a shared map. This example trains both on the digits, with
five seeds each.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from ipcae import ReconstructionSelector

images = load_digits().data[:600]
images = images[:, images.std(axis=0) > 0]

histories = {}
for method in ("cae", "ip-cae"):
    history = []

    def record(report, history=history):
        if report.phase == "selecting":
            history.append(
                {
                    "unique": report.per_run["unique_percentage"],
                    "loss": report.per_run["validation_loss"],
                }
            )

    selector = ReconstructionSelector(
        16,
        method=method,
        decoder="mlp",
        n_runs=5,
        max_epochs=80,
        early_stopping=False,
        random_state=0,
        callbacks=record,
    )
    selector.fit(images)
    histories[method] = history

# %%
# One line per seed. The left plot counts the features with the largest logit of each node. After
# training, the selector assigns a different feature to every node, whatever the nodes prefer.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
for method, color in (("cae", "C1"), ("ip-cae", "C0")):
    for axis, metric in zip(axes, ("unique", "loss"), strict=True):
        values = np.array([np.asarray(epoch[metric]) for epoch in histories[method]])
        lines = axis.plot(values, color=color, alpha=0.7, linewidth=1)
        lines[0].set_label({"cae": "direct (CAE)", "ip-cae": "indirect (IP-CAE)"}[method])
axes[0].set(xlabel="epoch", ylabel="distinct features among 16 nodes, %", ylim=(0, 105))
axes[1].set(xlabel="epoch", ylabel="validation loss", yscale="log")
axes[1].set_yticks([0.2, 0.5, 1.0], ["0.2", "0.5", "1"])
axes[1].minorticks_off()
axes[0].legend(frameon=False, loc="lower right")
plt.show()
