"""
EEG channels: which electrodes tell left from right?
====================================================

A cap with 32 electrodes is cumbersome. To control a device by imagining movements of the left or
the right hand, how few electrodes are enough, and where?

The recordings are simulated: imagining a movement of one hand weakens the 10 Hz rhythm over the
motor cortex of the opposite side. A stronger rhythm at the back of the head is unrelated, and every
source is seen by many electrodes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from ipcae import ChannelSelector, ClassificationSelector

random = np.random.default_rng(0)
rings = [(0.0, 1), (0.35, 7), (0.65, 10), (0.92, 14)]
angles = [2 * np.pi * (i + 0.5) / n for _, n in rings for i in range(n)]
radii = [radius for radius, n in rings for _ in range(n)]
electrodes = np.column_stack([radii * np.sin(angles), radii * np.cos(angles)])
sources = np.array([[-0.45, 0.0], [0.45, 0.0], [0.0, -0.8]])  # left and right hand, back


def recording(side):
    """Return one second of all electrodes, 100 values each."""
    time = np.arange(100) / 100
    strength = np.array([1.0, 1.0, 3.0]) * random.lognormal(0, 0.2, 3)
    strength[1 - side] *= 0.5  # the opposite side becomes quiet
    phase, frequency = random.uniform(0, 2 * np.pi, 3), random.normal(10, 0.5, 3)
    waves = strength[:, None] * np.sin(2 * np.pi * frequency[:, None] * time + phase[:, None])
    distance = np.linalg.norm(electrodes[:, None] - sources, axis=2)
    return np.exp(-((distance / 0.35) ** 2)) @ waves + random.normal(0, 0.5, (len(angles), 100))


sides = random.integers(2, size=800)
X = np.array([recording(side) for side in sides])
y = np.where(sides, "right", "left")

# %%
# What matters is the strength of the rhythm, not its phase: each electrode is described by the
# logarithm of its power between 6 and 14 Hz.

power = np.log(np.abs(np.fft.rfft(X))[:, :, 6:15])
X_train, X_test, y_train, y_test = train_test_split(
    power, y, stratify=y, test_size=0.5, random_state=0
)

accuracy = {}
for number in (1, 2, 4, 8):
    selector = ChannelSelector(ClassificationSelector(number, max_epochs=40, random_state=0))
    accuracy[number] = selector.fit(X_train, y_train).score(X_test, y_test)
    if number == 4:
        four = selector.channels_
print(accuracy)

# %%
# All nine frequencies of an electrode are selected together or not at all.

figure, (head, curve) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
outline = np.linspace(0, 2 * np.pi, 200)
head.plot(1.05 * np.sin(outline), 1.05 * np.cos(outline), color="0.5")
head.plot([-0.12, 0, 0.12], [1.05, 1.2, 1.05], color="0.5")
head.scatter(*electrodes.T, s=90, color="0.85", edgecolor="0.6", label="electrode")
head.scatter(*electrodes[four].T, s=130, color="C0", label="selected")
head.scatter(*sources[:2].T, marker="x", color="C3", label="hand areas")
head.set(aspect="equal", title="Four electrodes")
head.axis("off")
head.legend(loc="lower center", bbox_to_anchor=(0.5, -0.12), ncols=3, frameon=False)
curve.plot(list(accuracy), list(accuracy.values()), "o-")
curve.axhline(0.5, color="0.6", linestyle=":")
curve.set(xlabel="number of electrodes", ylabel="accuracy on new recordings", ylim=(0.45, 1))
plt.show()
