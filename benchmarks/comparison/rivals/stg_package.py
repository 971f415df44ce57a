"""Stochastic gates by their authors: https://github.com/runopti/stg."""

import collections
import collections.abc
import contextlib
import io

import numpy as np
from sklearn.preprocessing import StandardScaler

for _name in ("Sequence", "Set", "Mapping", "Iterable"):  # the package is older than Python 3.10
    setattr(collections, _name, getattr(collections.abc, _name))
from stg import STG  # noqa: E402


def select(X, y, n_selected, seed):
    """Return the features whose gates are most open; settings of the package's example."""
    X = StandardScaler().fit_transform(X)
    model = STG(
        task_type="classification",
        input_dim=X.shape[1],
        output_dim=len(np.unique(y)),
        hidden_dims=[60, 20],
        activation="tanh",
        optimizer="SGD",
        learning_rate=0.1,
        batch_size=len(X),
        feature_selection=True,
        sigma=0.5,
        lam=0.5,
        random_state=seed,
        device="cpu",
    )
    with contextlib.redirect_stdout(io.StringIO()):
        model.fit(X, y, nr_epochs=1000, valid_X=X, valid_y=y, print_interval=10**6)
    return np.argsort(-model.get_gates(mode="raw"), kind="stable")[:n_selected]
