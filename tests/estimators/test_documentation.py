"""The docstrings of the selectors."""

import re

import pytest

import ipcae
from ipcae.selectors import METHODS

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
