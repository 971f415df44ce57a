"""The docstrings of the selectors."""

import re

import numpy as np
import pytest

import ipcae
from ipcae.selectors import METHODS, Ranking
from ipcae.selectors.classical.base import Examples

SELECTORS = ["Classification", "Regression", "Reconstruction", "Survival", "Panel"]


@pytest.mark.parametrize("name", SELECTORS)
def test_every_method_of_the_task_is_listed_once(name):
    selector = getattr(ipcae, f"{name}Selector")
    text = selector.__doc__.split("\n    - Methods trained")[1].split('``"auto"``')[0]
    supported = [name for name, method in METHODS.items() if method.supports(selector._task)]
    assert sorted(re.findall(r'``"([\w-]+)"``', text)) == sorted(supported)


def test_a_shortlist_is_not_called_a_ranking():
    (line,) = re.findall(r"- (.*): ``\"shortlist\"``\.", ipcae.ClassificationSelector.__doc__)
    assert line == "IP-CAE among the best features of a ranking"


RANKINGS = [
    name
    for name, method in METHODS.items()
    if isinstance(method, Ranking) and not name.startswith(("cox", "panel"))
]


@pytest.mark.parametrize("name", RANKINGS)
def test_the_rankings_that_ignore_weights_are_named(name):
    random = np.random.default_rng(0)
    X, count = random.normal(size=(200, 12)), random.random(200) < 0.4
    y = np.where(count, X[:, :3].sum(1), 2 * X[:, 3:6].sum(1)) + 0.3 * random.normal(size=200)
    discrete = name != "lasso"
    targets = ((y > 0).astype(float) if discrete else y)[:, None]
    alike, weighted = (
        METHODS[name].scores(Examples(X, targets, discrete, weights), 3, 0)
        for weights in (None, np.where(count, 1.0, 1e-3))
    )
    ignored = ipcae.ClassificationSelector.fit.__doc__.split("The rankings")[1].split("ignore")[0]
    assert (f'"{name}"' in ignored) == np.array_equal(np.asarray(alike), np.asarray(weighted))
