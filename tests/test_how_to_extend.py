"""The how-to page about extensions runs, and its method, parametrization and task do their work."""

from pathlib import Path

import numpy as np
import pytest

from tests.pages import python_blocks

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-to" / "extend.md"


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    """Run the blocks in order, and return the names after each of them."""
    text = PAGE.read_text(encoding="utf-8")
    names = {"__name__": "extend"}
    after = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("page"))
        for block in python_blocks(text):
            exec(compile(block, PAGE.name, "exec"), names)
            after.append(dict(names))
        names["report"] = Path("alcohol.html").read_text(encoding="utf-8")
    return after, names


def test_the_ranking_selects_the_columns_that_it_scores_highest(steps):
    (ranked, *_), _ = steps
    selector, X = ranked["selector"], ranked["X"]
    assert selector.get_support().sum() == 4
    assert len(selector.history_["phase"]) > 0
    assert set(selector.history_["phase"]) == {"decoding", "fine-tuning"}
    assert selector.predict(X).shape == (178,)


def test_the_method_without_nodes_selects_and_predicts(steps):
    (_, joint, *_), _ = steps
    selector = joint["selector"]
    assert [len(set(s.features)) for s in selector.selections_] == [4, 4, 4]
    assert selector.score(joint["X"], joint["y"]) > 0.8
    assert set(selector.history_["phase"]) == {"selecting", "fine-tuning"}


def test_the_parametrization_trains(steps):
    (_, _, shared, _), _ = steps
    assert shared["selector"].score(shared["X"], shared["y"]) > 0.7


def test_the_task_predicts_positive_numbers_and_is_reported(steps):
    (*_, last), names = steps
    predicted = last["selector"].predict(last["columns"])
    assert (predicted > 0).all()
    assert np.abs(predicted / last["alcohol"] - 1).mean() < 0.1
    assert "to predict a positive number" in names["report"]
