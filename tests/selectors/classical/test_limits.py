"""Rankings within limits on the number of columns from a set."""

import numpy as np
import pytest

from ipcae import RegressionSelector


@pytest.mark.parametrize("method", ["backward", "lasso"])
def test_a_copy_of_a_column_that_a_limit_rules_out_takes_its_place(method):
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 12))
    y = 2 * X[:, 0] + 1.5 * X[:, 1] + 0.3 * X[:, 3] + 0.1 * random.normal(size=150)
    X[:, 2] = X[:, 1] + 0.2 * random.normal(size=150)
    selector = RegressionSelector(
        2, method=method, at_most=(1, [0, 1]), max_epochs=1, random_state=0
    )
    assert selector.fit(X, y).get_support(indices=True).tolist() == [0, 2]
