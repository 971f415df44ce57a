"""Small problems for training with captured steps, and epochs of such a training."""

from dataclasses import replace

import torch

from ipcae.constraints import Constraints
from ipcae.decoders import Mlp
from ipcae.losses import CrossEntropy, SquaredError
from ipcae.parametrizations import Direct, Full
from ipcae.regularizers import Gjsd
from ipcae.rows import Rows
from ipcae.runs import Runs, Stream
from ipcae.schedules import Exponential, Warmup
from ipcae.selectors import Concrete, SelectThenDecode
from ipcae.training import Plan, train
from ipcae.training.epochs.captured import CapturedEpochs
from ipcae.training.states.state import State
from tests.problems import problem

N_FEATURES = 12
RUNS = Runs.of([1, 2], [1e-2, 3e-2], penalty_weight=[0.0, 0.3])
COOLING = Exponential(5.0, 0.1)
SMALL = Mlp((5,))
SKIPPING = Mlp((5,), skip=True)
# The interpreter takes its time for every tensor: one in the selector, two in the decoder.
FEWEST = {"selector": Concrete(Direct(), COOLING, noise_draws=2), "decoder": Mlp(())}
TWO_DRAWS = Concrete(Full(size=4), COOLING, noise_draws=2, regularizer=Gjsd())


def data(n_rows, device, classes=3, weighted=False):
    """Return rows with class numbers, or with themselves as their targets."""
    generator = torch.Generator().manual_seed(n_rows)
    x = torch.randn(n_rows, N_FEATURES, generator=generator).to(device)
    weights = torch.rand(n_rows, generator=generator).to(device) if weighted else None
    return Rows(x, (x[:, 0] > 0).long() + (x[:, 1] > 0).long() if classes else None, weights)


def classification(device, plan, selector=TWO_DRAWS, decoder=SMALL, runs=RUNS):
    model = SelectThenDecode(selector, decoder, N_FEATURES, 3, 3)
    rows, validation = (data(n, device, weighted=True) for n in (7, 3))
    return model, problem(CrossEntropy(), rows, validation, runs, plan)


def reconstruction(device, plan):
    selector = Concrete(Full(size=4), COOLING, noise_draws="row", straight_through=True)
    model = SelectThenDecode(
        selector, SKIPPING, N_FEATURES, 3, N_FEATURES, Constraints(N_FEATURES, avoided=(4,))
    )
    rows, validation = (data(n, device, classes=0) for n in (5, 3))
    return model, problem(SquaredError(), rows, validation, RUNS, plan)


TASKS = {
    # 2, 2 and 1 of seven rows, others in every epoch.
    "classification": (
        classification,
        Plan(max_epochs=4, batch_size=2, schedule=Warmup(0.5, 0.1), rows_per_epoch=5),
    ),
    # 2, 2 and 1 rows, always in the same order.
    "reconstruction": (
        reconstruction,
        Plan(max_epochs=4, batch_size=2, shuffle=False, weight_decay=0.1),
    ),
}


def take_epochs(model, stated, n_epochs, captured=True):
    """Train for some epochs; return the state and the figures of every epoch."""
    params = model.init(Stream(stated.runs.seeds, device=stated.rows.inputs.device))
    state, figures = State.begin(params, stated.runs, stated.plan), []
    # With a callback that may read the state, no steps of the next epoch are taken early.
    epochs = CapturedEpochs(model, replace(stated, callbacks=(print,)), state)
    epochs.graphs.capturable &= captured
    for _ in range(n_epochs):
        figures.append(epochs.run())
        state.epoch += 1
    return state, figures


def trained(model, stated, runs=None):
    return train(model, replace(stated, runs=runs or stated.runs))
