"""Minimum redundancy, maximum relevance: https://github.com/smazzanti/mrmr."""

import numpy as np
import pandas as pd
from mrmr import mrmr_classif


def select(X, y, n_selected, seed):
    """Return K features by the F-statistic over the mean correlation."""
    chosen = mrmr_classif(pd.DataFrame(X), pd.Series(y), n_selected, show_progress=False, n_jobs=1)
    # The package stops if no relevant feature is left.
    rest = np.setdiff1d(np.arange(X.shape[1]), chosen)
    return np.concatenate([np.asarray(chosen, dtype=int), rest])[:n_selected]
