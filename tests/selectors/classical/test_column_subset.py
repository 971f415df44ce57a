"""The columns that explain all others best."""

from itertools import combinations

import numpy as np
import pytest

from ipcae import ReconstructionSelector
from ipcae.constraints import Constraints
from ipcae.selectors import ColumnSubset
from ipcae.selectors.classical import Examples
from ipcae.selectors.classical.unit_forward import UnitResiduals, explained


def best(inputs, n_selected, weights=None, method=ColumnSubset()):  # noqa: B008
    examples = Examples(inputs, inputs[:, :0], discrete=False, weights=weights)
    scores = method.scores(examples, n_selected, 0)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()
    return np.argsort(-scores, kind="stable")[:n_selected].tolist()


def greedy(inputs, n_selected):
    """Return what the definition says, by an explicit residual."""
    rest, chosen = inputs - inputs.mean(0), []
    for _ in range(n_selected):
        gain = np.square(rest.T @ rest).sum(0) / np.maximum(np.square(rest).sum(0), 1e-12)
        gain[chosen] = 0
        chosen.append(int(gain.argmax()))
        unit = rest[:, chosen[-1]] / np.linalg.norm(rest[:, chosen[-1]])
        rest = rest - np.outer(unit, unit @ rest)
    return chosen


def mixtures(shape, seed=0):
    """Return columns that are noisy mixtures of four sources."""
    random = np.random.default_rng(seed)
    inputs = random.normal(size=(shape[0], 4)) @ random.normal(size=(4, shape[1]))
    return inputs + 0.3 * random.normal(size=shape)


def unexplained(inputs, columns):
    centered = inputs - inputs.mean(0)
    basis, _ = np.linalg.qr(centered[:, columns])
    return np.square(centered - basis @ (basis.T @ centered)).sum()


@pytest.mark.parametrize("shape", [(40, 15), (15, 40)], ids=str)
def test_without_exchanges_the_order_is_that_of_the_definition(shape):
    inputs = mixtures(shape)
    assert best(inputs, 6, method=ColumnSubset(exchanges=False)) == greedy(inputs, 6)


@pytest.mark.parametrize("shape", [(60, 12), (9, 12)], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_no_exchange_of_one_column_explains_more(shape, seed):
    inputs = mixtures(shape, seed)
    chosen = best(inputs, 4)
    left = unexplained(inputs, chosen)
    assert left <= unexplained(inputs, greedy(inputs, 4)) + 1e-9
    others = set(range(12)) - set(chosen)
    exchanged = [[*kept, new] for kept in combinations(chosen, 3) for new in others]
    assert all(unexplained(inputs, columns) > (1 - 1e-4) * left for columns in exchanged)


def test_exchanges_find_a_pair_that_adding_misses():
    # A noisy sum of two sources explains most alone, but the two sources explain more together.
    random = np.random.default_rng(0)
    sources = random.normal(size=(200, 2))
    noisy_sum = sources.sum(1) + 0.5 * random.normal(size=200)
    inputs = np.column_stack([sources, sources, noisy_sum])
    assert greedy(inputs, 2)[0] == 4
    assert {column % 2 for column in best(inputs, 2)} == {0, 1}


def test_included_columns_leave_the_others_to_explain_the_rest():
    random = np.random.default_rng(0)
    sources = random.normal(size=(80, 3)) * [3, 2, 1]
    inputs = np.repeat(sources, 3, axis=1) + 0.05 * random.normal(size=(80, 9))
    selector = ReconstructionSelector(
        2, method="column-subset", include=[0], max_epochs=1, scale=None, random_state=0
    )
    chosen = selector.fit(inputs).get_support(indices=True)
    assert (chosen // 3).tolist() == [0, 1]


def test_one_of_each_group_of_copies_is_selected():
    random = np.random.default_rng(1)
    sources = random.normal(size=(50, 3)) * [3, 2, 1]
    inputs = np.repeat(sources, 5, axis=1) + 0.01 * random.normal(size=(50, 15))
    assert {column // 5 for column in best(inputs, 3)} == {0, 1, 2}


def test_more_columns_than_the_rank_are_still_different():
    inputs = np.outer(np.arange(6.0), np.ones(8))
    assert len(set(best(inputs, 5))) == 5


def test_rows_of_larger_weight_count_more():
    random = np.random.default_rng(2)
    inputs = np.zeros((40, 4))
    inputs[:20, :2] = random.normal(size=(20, 1))
    inputs[20:, 2:] = random.normal(size=(20, 1))
    first = np.repeat([5.0, 0.1], 20)
    assert best(inputs, 1, first)[0] < 2 <= best(inputs, 1, first[::-1])[0]


def by_definition(inputs, groups, n_selected, costs):
    """Add the group that explains most per cost, by explicit regressions."""
    centered, chosen = inputs - inputs.mean(0), []
    for _ in range(n_selected):
        left = {
            place: unexplained(centered, np.concatenate([*(groups[i] for i in chosen), group]))
            for place, group in enumerate(groups)
            if place not in chosen
        }
        before = unexplained(
            centered, np.concatenate([[], *(groups[i] for i in chosen)]).astype(int)
        )
        chosen.append(max(left, key=lambda place: (before - left[place]) / costs[place]))
    return chosen


@pytest.mark.parametrize("shape", [(40, 15), (15, 40)], ids=str)
@pytest.mark.parametrize("costs", ["equal", "different"])
def test_groups_are_added_as_in_the_definition(shape, costs):
    random = np.random.default_rng(3)
    inputs = mixtures(shape) + 0.5 * random.normal(size=shape)
    groups = (0, 4), (1, 2, 3), (5,), (6, 7), *((column,) for column in range(8, shape[1]))
    cost = random.uniform(1, 3, len(groups)) if costs == "different" else np.ones(len(groups))
    constraints = Constraints(
        shape[1], groups=tuple(g for g in groups if len(g) > 1), costs=tuple(cost)
    )
    left = UnitResiduals(inputs - inputs.mean(0), constraints)
    units = []
    for _ in range(3):
        gains = left.gains() / cost
        gains[units] = 0
        units.append(int(gains.argmax()))
        left.remove(constraints.columns(units[-1:]))
    assert [constraints.units[unit] for unit in units] == [
        groups[place] for place in by_definition(inputs, groups, 3, cost)
    ]
    columns, total = constraints.columns(units), np.square(inputs - inputs.mean(0)).sum()
    missing = unexplained(inputs, columns)
    assert explained(inputs - inputs.mean(0), columns) == pytest.approx(total - missing)


def selected(inputs, n_selected, **constraints):
    selector = ReconstructionSelector(
        n_selected,
        method="column-subset",
        max_epochs=1,
        scale=None,
        random_state=0,
        **constraints,
    )
    return selector.fit(inputs).get_support(indices=True).tolist()


def sources(*columns, noise=0.05):
    """Return columns that each repeat one of several independent sources, the first the largest."""
    random = np.random.default_rng(4)
    repeated = (random.normal(size=(80, 4)) * [4, 3, 2, 1])[:, columns]
    return repeated + noise * random.normal(size=repeated.shape)


def test_a_group_is_selected_for_what_its_columns_explain_beyond_the_other_groups():
    inputs = sources(0, 1, 0, 1, 2, 3)
    groups = {"both": [0, 1], "both again": [2, 3], "rest": [4, 5]}
    assert {4, 5} < set(selected(inputs, 2, feature_groups=groups))


def test_a_copy_replaces_a_column_that_a_limit_rules_out():
    inputs = sources(0, 0, 0, 1, 1, 1, 2)
    inputs[:, 5] += 0.5 * np.random.default_rng(5).normal(size=len(inputs))
    limits = [(1, [0, 1, 2, 3, 4]), (1, [6])]
    chosen = selected(inputs, 2, at_most=limits)
    assert chosen[0] < 3
    assert chosen[1] == 5


def test_a_budget_is_not_spent_on_cheap_copies():
    inputs = sources(0, 0, 0, 0, 1, 2)
    chosen = selected(inputs, 6, feature_costs=[1, 1, 1, 1, 2, 2], budget=5)
    assert {4, 5} < set(chosen)
