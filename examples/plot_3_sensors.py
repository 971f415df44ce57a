"""
Sensors with costs: where to measure the temperature of a plate?
================================================================

A plate is heated at its edges in ways that change from hour to hour. A few thermometers should tell
the temperature everywhere. At the edges they are cheap to mount; in the middle they cost five
times as much. What can a budget of 20 do?

The temperatures are simulated by solving the heat equation.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from ipcae import ReconstructionSelector

random = np.random.default_rng(0)
SIZE = 12


def plate(edges, sources):
    """Return the steady-state temperature for given edges and heat sources."""
    heat = np.zeros((SIZE, SIZE))
    heat[0], heat[-1], heat[:, 0], heat[:, -1] = edges
    for _ in range(300):
        neighbors = heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:]
        heat[1:-1, 1:-1] = neighbors / 4 + sources
    return heat


def hour():
    phase, size = random.uniform(0, 2 * np.pi, 4), random.normal(0, 10, 4)
    position = np.linspace(0, np.pi, SIZE)
    edges = [20 + s * np.sin(position + p) for s, p in zip(size, phase, strict=True)]
    sources = np.zeros((SIZE - 2, SIZE - 2))
    x, y = random.integers(2, SIZE - 4, 2)
    sources[x : x + 2, y : y + 2] = random.uniform(0, 8)
    return plate(edges, sources).ravel()


table = np.array([hour() for _ in range(600)]) + random.normal(0, 0.2, (600, SIZE * SIZE))
train, test = train_test_split(table, random_state=0)

# %%
# Thermometers in the two outer rings cost 1, all others 5. With a budget, K is a maximum.

ring = np.minimum.outer(np.minimum(np.arange(SIZE), np.arange(SIZE)[::-1]), np.full(SIZE, SIZE))
ring = np.minimum(ring, ring.T)
costs = np.where(ring < 2, 1.0, 5.0).ravel()

settings = {"max_epochs": 40, "random_state": 0, "method": "ip-cae"}
free = ReconstructionSelector(12, **settings).fit(train)
within = ReconstructionSelector(12, feature_costs=costs, budget=20, **settings).fit(train)

# %%

cases = {"12 thermometers, any cost": free, "at most 12, budget 20": within}
figure, axes = plt.subplots(1, 3, figsize=(11, 3.9), layout="constrained")
picture = axes[0].imshow(test[0].reshape(SIZE, SIZE), cmap="inferno")
axes[0].set_title("one of the hours\n")
figure.colorbar(picture, ax=axes[0], label="°C", shrink=0.8)
for axis, (name, selector) in zip(axes[1:], cases.items(), strict=True):
    support = selector.get_support()
    error = np.sqrt(
        ((selector.reconstruct(selector.transform(test)) - test) ** 2).mean(axis=0)
    ).reshape(SIZE, SIZE)
    picture = axis.imshow(error, cmap="Greys", vmin=0, vmax=3)
    rows, columns = np.unravel_index(np.flatnonzero(support), (SIZE, SIZE))
    axis.scatter(columns, rows, s=70, color="C0", edgecolor="white")
    axis.set_title(f"{name}\ncost {costs[support].sum():.0f}, error {error.mean():.2f} °C")
figure.colorbar(picture, ax=axes[1:], label="error in °C", shrink=0.8)
for axis in axes:
    axis.set(xticks=[], yticks=[])
plt.show()
