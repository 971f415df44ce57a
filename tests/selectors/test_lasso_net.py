"""LassoNet's path: dense, then ever fewer features."""

import numpy as np
import pytest
import torch

from ipcae import ClassificationSelector, InputError, LassoNet, Mlp
from ipcae.losses import CrossEntropy
from ipcae.rows import Rows
from ipcae.runs import Runs, Stream
from ipcae.selectors import DenseToSparse
from ipcae.selectors.screening_model import ScreeningModel
from ipcae.training import Plan, curve, train
from tests.problems import problem
from tests.random_tensors import normal


@pytest.fixture
def rows():
    x = normal(120, 8)
    return Rows(x, (x[:, 1] + x[:, 4] > 0).long())


def fit(lasso_net, rows, n_epochs=30, learning_rate=1e-2):
    sizes = tuple(rows.inputs.square().mean(0).sqrt().tolist())
    plan = Plan(max_epochs=n_epochs, batch_size=20, keep_last=True)
    model = ScreeningModel(lasso_net, sizes, 2)
    return train(model, problem(CrossEntropy(), rows, rows, Runs.of([1, 2], learning_rate), plan))


def test_the_path_leads_from_all_features_to_few(rows):
    result = fit(LassoNet(network=Mlp((20,), slope=0.0, normalize=False)), rows)
    for run in range(2):
        n_open = curve(result.history.columns(), "open_features", run)
        assert n_open[0] == 8
        assert n_open[-1] <= 2


def test_features_that_matter_survive_longest(rows):
    lasso_net = LassoNet(network=Mlp((20,), slope=0.0, normalize=False))
    result = fit(lasso_net, rows)
    best = lasso_net.scores(result.params).topk(2).indices
    assert [sorted(run) for run in best.tolist()] == [[1, 4], [1, 4]]
    probability = lasso_net.probability(result.params)
    assert ((probability > 0) & (probability <= 1)).all()


def test_the_end_of_paths_of_every_length_obeys_the_hierarchy(rows):
    lasso_net = LassoNet(
        path=DenseToSparse(end=0.2), network=Mlp((20,), slope=0.0, normalize=False)
    )
    for n_epochs in range(1, 11):
        params = fit(lasso_net, rows, n_epochs).params
        limit = 10 * params["skip"].norm(dim=1) + 1e-6
        assert (params["0.weight"].abs().amax(1) <= limit).all()


@pytest.mark.parametrize(("size_power", "alive"), [(0.0, [True, True]), (1.0, [True, False])])
def test_a_small_feature_resists_less_where_size_matters(size_power, alive):
    lasso_net = LassoNet(
        path=lambda progress: 1.0, size_power=size_power, network=Mlp((4,), slope=0.0)
    )
    params = lasso_net.init(torch.tensor([1.0, 0.1]), 1, Stream([0]))
    params["skip"].fill_(1.0)
    params["0.weight"].zero_()
    # λ is 1e-2 · (10 · 4 hidden + √1 output) = 0.41, and at power 1 ten times that for the small.
    lasso_net.after_step(params, 0.5, torch.tensor([1e-2]))
    assert lasso_net.is_open(params).tolist() == [alive]
    assert params["skip"][0, 0, 0].item() == pytest.approx(0.59)


def test_a_group_leaves_as_one(rows):
    groups = ((0, 1, 2), (3, 4))
    lasso_net = LassoNet(groups=groups, network=Mlp((20,), slope=0.0, normalize=False))
    survived = fit(lasso_net, rows).params["buffer:survived"]
    for group in groups:
        assert (survived[:, list(group)] == survived[:, group[0], None]).all()
    assert (survived[:, 1] > survived[:, 5:].amax(1)).all()


def test_the_selector_takes_groups(rows):
    X, y = rows.inputs.numpy(), rows.targets.numpy()
    method = LassoNet(groups=((4, 6), (1, 2)), network=Mlp((20,), slope=0.0, normalize=False))
    settings = {"max_epochs": 40, "learning_rate": 1e-2, "random_state": 0, "decoder": (8,)}
    selector = ClassificationSelector(4, method=method, **settings).fit(X, y)
    np.testing.assert_array_equal(selector.get_support(indices=True), [1, 2, 4, 6])


@pytest.mark.parametrize("groups", [((0, 1), (1, 2)), ((0, 8),), ((-1, 2),)])
def test_groups_that_overlap_or_do_not_exist_are_refused(groups):
    with pytest.raises(InputError, match="each feature at most once"):
        LassoNet(groups=groups).init(torch.ones(8), 2, Stream([0]))


def test_a_network_without_a_hidden_layer_is_refused():
    with pytest.raises(InputError, match="needs a network with a hidden layer"):
        LassoNet(network=Mlp(())).init(torch.ones(8), 2, Stream([0]))
