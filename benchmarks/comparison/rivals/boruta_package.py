"""Boruta: https://github.com/scikit-learn-contrib/boruta_py."""

import numpy as np
from boruta import BorutaPy
from sklearn.ensemble import RandomForestClassifier


def select(X, y, n_selected, seed):
    """Return the features of the best ranks; ties by the importance in the last forest."""
    forest = RandomForestClassifier(max_depth=5, class_weight="balanced", random_state=seed)
    boruta = BorutaPy(forest, n_estimators=200, max_iter=30, random_state=seed).fit(X, y)
    importance = forest.set_params(n_estimators=200, random_state=seed).fit(X, y)
    order = np.lexsort((-importance.feature_importances_, boruta.ranking_))
    return order[:n_selected]
