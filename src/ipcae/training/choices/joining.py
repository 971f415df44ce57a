"""Join the choices of runs that were trained one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from ipcae.decoders import Mlp
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
    """Return the choices with decoders of the same layers, if some are linear or read steps.

    Where some are linear and others not, the decoders have a linear map besides the hidden layers,
    and one of both is zero. Where only some read steps of the inputs, those of the others are zero.
    """
    decoders = [choice.model.decoder for choice in choices]
    if len(set(decoders)) == 1:
        return list(choices)
    layers = [each for each in decoders if isinstance(each, Mlp)]
    assert len(layers) == len(decoders)
    largest = max(layers, key=lambda each: len(each.hidden))
    decoder = replace(
        largest,
        skip=any(each.skip or each.hidden != largest.hidden for each in layers),
        pieces=max(each.pieces for each in layers),
    )
    return [
        replace(
            choice,
            model=replace(choice.model, decoder=decoder),
            params=_with_layers(choice, decoder),
        )
        for choice in choices
    ]


def _with_layers(choice: Choice, decoder: Mlp) -> dict[str, Tensor]:
    """Return the tensors of a choice as those of a decoder with more layers, which are zero."""
    own, params = choice.model.decoder, choice.params
    assert isinstance(own, Mlp)
    features = params["buffer:features"]
    (n_runs, n_inputs), n_outputs = features.shape, choice.model.n_outputs
    shapes = decoder.shapes(n_inputs, n_outputs)
    tensors = {
        f"decoder.{name}": torch.zeros(n_runs, *shape, device=features.device)
        for name, shape in shapes.items()
    }
    moved = {}
    if own.hidden != decoder.hidden:
        last = len(decoder.hidden)
        moved = {"0.weight": "skip.weight", "0.bias": f"{last}.bias", "0.pieces": "skip.pieces"}
    for name, tensor in params.items():
        if name.startswith("decoder."):
            name = name.removeprefix("decoder.")
            name = f"decoder.{moved.get(name, name)}"
        tensors[name] = tensor
    return tensors


def _joined_params(choices: Sequence[Choice]) -> dict[str, Tensor]:
    """Concatenate the tensors; a part without a mask of its inputs uses all of them."""
    every = [dict(choice.params) for choice in choices]
    if any(_NODES in params for params in every):
        for params in every:
            features = params["buffer:features"]
            params.setdefault(_NODES, torch.ones(features.shape, device=features.device))
    return {name: torch.cat([params[name] for params in every]) for name in every[0]}
