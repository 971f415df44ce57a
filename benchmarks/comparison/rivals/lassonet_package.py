"""LassoNet by its authors: https://github.com/lasso-net/lassonet."""

import numpy as np
from lassonet import LassoNetClassifier
from sklearn.preprocessing import StandardScaler


def select(X, y, n_selected, seed):
    """Return the features that stay in the longest along the path."""
    model = LassoNetClassifier(hidden_dims=(100,), M=10, verbose=0, random_state=seed)
    model.path(StandardScaler().fit_transform(X), y, return_state_dicts=False)
    return np.argsort(-model.feature_importances_.numpy(), kind="stable")[:n_selected]
