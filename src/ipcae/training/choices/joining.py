"""Join the choices of runs that were trained one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from ipcae.decoders import Mlp, linear_decoder
from ipcae.training.choices.choice import Choice
from ipcae.training.states.history import History, aligned_phases
from ipcae.training.states.state import INTERRUPTED

_NODES = "buffer:nodes"


def joined_choices(choices: Sequence[Choice], runs: Sequence[Sequence[int]]) -> Choice:
    """Return one choice of all runs; ``runs`` are the runs of every part.

    The epochs of the parts are numbered as if they had been trained together.
    """
    if len(choices) == 1:
        return choices[0]
    choices = with_same_decoder(choices)
    history = History()
    for aligned, part in zip(aligned_phases([c.history for c in choices]), runs, strict=True):
        history.add_runs(aligned, part)
    history.sort()
    together = Choice(
        model=choices[0].model,
        params=_joined_params(choices),
        selections=[each for choice in choices for each in choice.selections],
        validation_loss=np.concatenate([choice.validation_loss for choice in choices]),
        importance=np.concatenate([choice.importance for choice in choices]),
        status=[each for choice in choices for each in choice.status],
        best_epoch=[each for choice in choices for each in choice.best_epoch],
        history=History(),
        seconds=sum(choice.seconds for choice in choices),
        decoders=[each for choice in choices for each in choice.decoders],
    )
    order = np.argsort([run for part in runs for run in part]).tolist()
    return replace(together.of_runs(order), history=history)


def unfinished(choice: Choice, n_runs: int) -> Choice:
    """Return a choice of runs that Ctrl-C kept from being trained: none of them is usable."""
    return replace(
        choice.of_runs([0] * n_runs),
        validation_loss=np.full(n_runs, np.inf),
        status=[INTERRUPTED] * n_runs,
        best_epoch=[-1] * n_runs,
        history=History(),
        seconds=0.0,
    )


def with_same_decoder(choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices with decoders of the same layers, if some are linear and others not.

    The decoders then have a linear map besides the hidden layers, and one of both is zero.
    """
    hidden = [choice for choice in choices if choice.model.decoder != linear_decoder()]
    if len({choice.model.decoder for choice in choices}) == 1 or not hidden:
        return list(choices)
    layers = hidden[0]
    decoder = layers.model.decoder
    assert isinstance(decoder, Mlp)
    model = replace(layers.model, decoder=replace(decoder, skip=True))

    def params_of(choice: Choice) -> dict[str, Tensor]:
        own = choice.params
        if "decoder.skip.weight" in own:
            return own
        if choice.model.decoder != linear_decoder():
            last = own[f"decoder.{len(decoder.hidden)}.weight"]
            shape = len(last), last.shape[1], own["buffer:features"].shape[1]
            return {**own, "decoder.skip.weight": last.new_zeros(shape)}
        n_runs = len(own["buffer:features"])
        zeros = {
            name: tensor.new_zeros(n_runs, *tensor.shape[1:])
            for name, tensor in layers.params.items()
            if name.startswith("decoder.")
        }
        buffers = {name: tensor for name, tensor in own.items() if name.startswith("buffer:")}
        return {
            **zeros,
            f"decoder.{len(decoder.hidden)}.bias": own["decoder.0.bias"],
            "decoder.skip.weight": own["decoder.0.weight"],
            **buffers,
        }

    return [replace(choice, model=model, params=params_of(choice)) for choice in choices]


def _joined_params(choices: Sequence[Choice]) -> dict[str, Tensor]:
    """Concatenate the tensors; a part without a mask of its inputs uses all of them."""
    every = [dict(choice.params) for choice in choices]
    if any(_NODES in params for params in every):
        for params in every:
            features = params["buffer:features"]
            params.setdefault(_NODES, torch.ones(features.shape, device=features.device))
    return {name: torch.cat([params[name] for params in every]) for name in every[0]}
