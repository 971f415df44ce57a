"""Draws of K features at once: what is selected, and what becomes of the decoder."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from ipcae import (
    ClassificationSelector,
    Full,
    InputError,
    RegressionSelector,
    SelectorCV,
    load,
)
from ipcae.constraints import Constraints
from ipcae.decoders import CustomDecoder, Mlp
from ipcae.losses import CrossEntropy
from ipcae.rows import Rows
from ipcae.runs import BatchPart, Runs, Stream
from ipcae.schedules import Constant, Exponential
from ipcae.selectors import Anova, Shape, Shortlist, Subset, shortlist
from ipcae.training import Checkpoint, Plan, train
from tests.problems import problem
from tests.random_tensors import normal

SETTINGS = {"method": "subset", "max_epochs": 40, "batch_size": 32, "random_state": 0}
TRUTH = [3, 11, 17, 20]


@pytest.fixture(scope="module")
def table():
    """Return a table whose target is the sum of four of its 30 columns."""
    X = np.random.default_rng(0).normal(size=(400, 30))
    return X, X[:, TRUTH].sum(1)


@pytest.fixture(scope="module")
def fitted(table):
    return RegressionSelector(4, n_runs=2, **SETTINGS).fit(*table)


def rows_of(n_features=9, n_rows=24):
    x = normal(n_rows, n_features)
    return Rows(x, (x[:, 0] > 0).long())


def test_every_run_finds_the_columns_of_the_truth(fitted, table):
    for run in range(2):
        assert fitted.with_run(run).get_support(indices=True).tolist() == TRUTH
    assert fitted.score(*table) > 0.95
    assert fitted.selection_.unique_percentage == 100
    assert fitted.selection_.probability[TRUTH].min() > 0.2


def test_the_final_decoder_reads_the_selected_columns_of_a_shortlist(table, monkeypatch):
    monkeypatch.setattr(shortlist, "better_selections", lambda *arguments: {})
    common = np.random.default_rng(1).normal(size=(len(table[0]), 1))
    X = table[0] + common  # of correlated columns, 3 K are kept
    y = X[:, TRUTH].sum(1)
    method = Shortlist(Anova(), Subset(), factor=3)
    selector = RegressionSelector(4, **SETTINGS | {"method": method}).fit(X, y)
    assert selector.model_.n_selected == 4
    assert selector.score(X, y) > 0.5


def test_an_indirect_theta_finds_them_too(table):
    method = Subset(Full(), temperature=Exponential(10.0, 0.1))
    selector = RegressionSelector(4, **SETTINGS | {"method": method}).fit(*table)
    assert selector.get_support(indices=True).tolist() == TRUTH


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("constraints", [None, Constraints(9, (8,), (0,), groups=((1, 5),))])
def test_the_final_decoder_has_the_weights_of_the_selected_columns(constraints, skip):
    model = Subset().model(Shape(Mlp((4,), skip=skip), 9, 3, 2), constraints)
    params = model.init(Stream([1, 2]))
    rows = rows_of().inputs
    selections = model.selections(params, unique=True)
    final = model.final_model
    padded = torch.zeros(2, final.n_selected, dtype=torch.long)
    used = torch.zeros(2, final.n_selected)
    for run, selection in enumerate(selections):
        n = len(selection.features)
        padded[run, :n], used[run, :n] = torch.from_numpy(selection.features), 1.0
    found = final.predict(model.restricted(params, padded, used), rows)
    torch.testing.assert_close(found, model.predict(params, rows))


def test_included_columns_are_in_every_draw_and_excluded_ones_in_none():
    constraints = Constraints(9, included=(8,), excluded=(0, 4), groups=((1, 5),))
    model = Subset().model(Shape(Mlp((4,)), 9, 3, 2), constraints)
    params = model.init(Stream([1]))
    theta, counts = model.theta(params), params["buffer:counts"]
    masks = model.selector.masks(theta, counts, 200, 1.0, Stream([1], 5))
    columns = model._of_columns(params, masks)[0]
    assert columns[:, 8].min() == 1
    assert columns[:, [0, 4]].max() == 0
    assert torch.equal(columns[:, 1], columns[:, 5])
    assert (columns.sum(1) - columns[:, 5]).unique().tolist() == [3.0]  # a group counts once


def test_draws_begin_with_more_features_than_k():
    method = Subset(surplus=Constant(0.5))
    masks = method.masks(torch.zeros(2, 100), torch.tensor([4.0, 1.0]), 3, 0.0, Stream([1, 2]))
    assert masks.sum(-1).tolist() == [[20.0] * 3, [10.0] * 3]


def test_rows_may_share_a_draw():
    masks = Subset(noise_draws=2, surplus=None).masks(
        torch.zeros(1, 20), torch.tensor([3.0]), 5, 0.0, Stream([1])
    )
    assert masks.shape == (1, 5, 20)
    assert torch.equal(masks[:, 0], masks[:, 2])
    assert not torch.equal(masks[:, 2], masks[:, 3])


def test_runs_may_select_different_numbers_of_features():
    runs = replace(Runs.of([1, 2, 3]), n_selected=(1, 3, 2))
    plan = Plan(max_epochs=2, batch_size=8)
    stated = problem(CrossEntropy(), rows_of(), rows_of(), runs, plan, n_selected=3)
    choice = Subset().choose(replace(stated, decoder=Mlp((4,)), fine_tune_epochs=1))
    assert [len(selection.features) for selection in choice.selections] == [1, 3, 2]
    assert np.isfinite(choice.validation_loss).all()


def test_a_custom_network_is_trained_again_on_the_selection():
    decoder = CustomDecoder(lambda n_in, n_out: nn.Sequential(nn.Linear(n_in, n_out)))
    plan = Plan(max_epochs=2, batch_size=8)
    stated = problem(CrossEntropy(), rows_of(), rows_of(), Runs.of([1, 2]), plan, n_selected=3)
    choice = Subset().choose(replace(stated, decoder=decoder))
    assert choice.params["decoder.0.weight"].shape == (2, 2, 3)
    assert set(choice.history.columns()["phase"]) == {"selecting", "decoding"}


def test_numbers_of_features_are_compared_in_one_training(table):
    X, y = table
    selector = ClassificationSelector(**SETTINGS | {"max_epochs": 20})
    search = SelectorCV(selector, n_features_to_select=[1, 4], cv=2).fit(X[:200], y[:200] > 0)
    assert search.n_features_ == 4


def test_a_saved_selector_predicts_the_same(fitted, table, tmp_path):
    fitted.save(tmp_path / "panel.ipcae")
    again = load(tmp_path / "panel.ipcae")
    np.testing.assert_array_equal(again.predict(table[0]), fitted.predict(table[0]))
    assert again.method_ == "subset"


def test_an_interrupted_fit_continues_from_its_checkpoint(table, tmp_path):
    X, y = table
    settings = SETTINGS | {"max_epochs": 8, "fine_tune": False}
    whole = RegressionSelector(4, **settings).fit(X, y)

    def stop(report):
        if report.epoch == 3:
            raise RuntimeError("stopped")

    first = Checkpoint(tmp_path, every=2)
    with pytest.raises(RuntimeError, match="stopped"):
        RegressionSelector(4, callbacks=stop, checkpoint=first, **settings).fit(X, y)
    again = Checkpoint(tmp_path, every=2, resume=True)
    resumed = RegressionSelector(4, checkpoint=again, **settings).fit(X, y)
    np.testing.assert_array_equal(resumed.predict(X), whole.predict(X))


@pytest.mark.parametrize("draws", [2, 3, "row"])
def test_parts_of_a_batch_get_the_draws_of_the_whole(draws):
    method, theta = Subset(noise_draws=draws), torch.zeros(2, 9)
    counts = torch.tensor([3.0, 4.0])
    whole = method.masks(theta, counts, 8, 0.0, Stream([1, 2], 5))
    for first, end in [(0, 3), (3, 4), (4, 8)]:
        stream = Stream([1, 2], 5, part=BatchPart(first, 8))
        part = method.masks(theta, counts, end - first, 0.0, stream)
        assert torch.equal(part, whole[:, first:end])


def test_an_unknown_noise_is_refused():
    with pytest.raises(InputError, match="expected one of gumbel, logistic"):
        Subset(noise="normal")


def test_a_run_trains_the_same_beside_runs_that_select_more():
    plan = Plan(max_epochs=3, batch_size=8, keep_last=True)

    def trained(runs, n_selected):
        model = Subset().model(Shape(Mlp((4,)), 9, n_selected, 2))
        return train(model, problem(CrossEntropy(), rows_of(), rows_of(), runs, plan))

    together = trained(replace(Runs.of([1, 2]), n_selected=(5, 2)), 5)
    alone = trained(Runs.of([2]), 2)
    for name, tensor in alone.params.items():
        assert torch.equal(tensor[0], together.params[name][1]), name
