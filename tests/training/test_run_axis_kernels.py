"""Runs with different rows and numbers of features, trained by the kernels."""

from dataclasses import replace

import pytest
import torch

from ipcae.decoders import Mlp
from ipcae.losses import CrossEntropy, SquaredError
from ipcae.parametrizations import Direct
from ipcae.regularizers import Gjsd
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors import Concrete, Shape
from ipcae.training import Plan, train
from tests.problems import problem

pytestmark = pytest.mark.usefixtures("kernels")

D, N = 12, 7
RUNS = Runs.of([1, 2], [1e-2, 3e-2], penalty_weight=[0.1, 0.3], n_selected=[3, 2])
CASES = {
    "classes": (CrossEntropy(), Plan(max_epochs=1, batch_size=3)),
    "numbers": (SquaredError(), Plan(max_epochs=1, batch_size=3, shuffle=False)),
}


@pytest.mark.parametrize(("loss", "plan"), CASES.values(), ids=CASES.keys())
def test_a_run_trains_as_if_it_were_alone_with_its_rows(loss, plan, device):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(N, D, generator=generator).to(device)
    if isinstance(loss, CrossEntropy):
        targets = torch.randint(3, (N,), generator=generator).to(device)
    else:
        targets = torch.randn(N, 3, generator=generator).to(device)
    weights = (torch.rand(2, N, generator=generator) < 0.7).float().to(device)
    rows = Rows(x, targets, weights)
    shared = [Rows(x, targets, weights[run]) for run in range(2)]
    method = Concrete(Direct(), noise_draws=2, regularizer=Gjsd())
    model = method.model(Shape(Mlp(()), D, 3, 3))
    whole = replace(problem(loss, shared[0], shared[0], RUNS, plan), rows=rows, validation=rows)
    together = train(model, replace(whole, n_selected=3))
    for run in range(2):
        own = replace(whole, rows=shared[run], validation=shared[run], runs=RUNS.subset([run]))
        alone = train(model, replace(own, n_selected=3))
        for name, tensor in alone.params.items():
            torch.testing.assert_close(together.params[name][run], tensor[0], msg=name)
        assert together.best_loss[run] == pytest.approx(alone.best_loss[0], rel=1e-5)
