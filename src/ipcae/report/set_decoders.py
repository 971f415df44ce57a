"""Train decoders on several sets of features, all alike, and compute their outputs."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Integers
from ipcae.devices import device_for
from ipcae.errors import InputError
from ipcae.evaluation import Sample
from ipcae.runs import Runs, Stream
from ipcae.training import Phase, Plan, Problem, train
from ipcae.training.choices.pieces import Pieces, affordable_pieces, stacked_pieces
from ipcae.training.choices.solving import can_be_solved, solved
from ipcae.training.plan import auto_epochs, comparison_batch_size

MOST_WORK = 5e10
"""Maximum of weights × rows × epochs, for the decoder of all features."""
FEWEST_WITHOUT, MOST_WITHOUT = 3, 30
MOST_PADDED = 64
"""Decoders with up to this many inputs are trained together, the smaller ones with zero inputs."""


@dataclass(frozen=True, eq=False)
class SetDecoders:
    """Decoders of sets of features, which have all settings but the features in common.

    ``problem`` is that of one set. ``owner`` has the feature of every column of ``inputs``,
    the held-out rows: a category has several columns.
    """

    problem: Problem
    held_out: Sample
    inputs: Tensor
    owner: Integers
    n_features: int

    @property
    def sizes(self) -> Integers:
        """The number of inputs of the decoder for every feature; 0 if it is left out."""
        return np.bincount(self.owner, minlength=self.n_features)

    @property
    def solves(self) -> bool:
        """Whether the decoders are computed instead of trained."""
        return can_be_solved(self.problem)

    @classmethod
    def of(cls, selector: Any, training: Sample, held_out: Sample) -> SetDecoders:
        """Return decoders like that of a selector, with bounds on the time of their training."""
        device = _device(selector)
        n_validation = max(len(training) // 5, 1)
        rows = training.scaled(selector).to(device)
        # Copy the decoder, because a CustomDecoder caches a module for every size.
        decoder, n_outputs = copy.deepcopy(selector.model_.decoder), selector.model_.n_outputs
        if getattr(decoder, "pieces", 0) and not affordable_pieces(rows.inputs.shape[1]):
            decoder = replace(decoder, pieces=0)
        n_weights = count_weights(decoder, rows.inputs.shape[1], n_outputs)
        n_rows = len(training) - n_validation
        # Limit first the rows, then the epochs, to bound the time.
        n_rows = min(n_rows, max(round(MOST_WORK / n_weights / 20), 500))
        affordable = max(round(MOST_WORK / n_weights / n_rows), 5)
        n_epochs = min(_decoder_epochs(selector), affordable)
        learning_rate = float(np.resize(selector.learning_rate, selector.best_run_ + 1)[-1])
        problem = Problem(
            task=selector.task_,
            loss=selector.task_.loss_for(selector.loss),
            rows=rows.take(slice(n_validation, n_validation + n_rows)),
            validation=rows.take(slice(n_validation)),
            runs=Runs.of([0], learning_rate),
            plan=Plan(
                max_epochs=n_epochs,
                batch_size=comparison_batch_size(n_rows),
                patience=max(n_epochs // 10, 10),
            ),
            decoder=decoder,
        )
        expansion = getattr(selector.scaler_, "expansion", None)
        n_features = selector.n_features_in_
        owner = np.arange(n_features) if expansion is None else expansion.owner
        inputs = held_out.scaled(selector).inputs.to(device)
        return cls(problem, held_out, inputs, owner, n_features)

    def affordable_sets(self, size: int) -> int:
        """Return how many sets of this many features can be trained, at most all and 30.

        Up to twice as many as the time allows are trained if these are all, and fewer than three
        only then.
        """
        problem = self.problem
        n_weights = count_weights(problem.decoder, size, problem.task.n_outputs)
        steps = len(problem.rows) * problem.plan.max_epochs
        affordable = int(MOST_WORK / (n_weights * steps))
        if size > 2 * affordable:
            size = affordable if affordable >= FEWEST_WITHOUT else 0
        return min(size, MOST_WITHOUT)

    def score(self, outputs: Tensor) -> float:
        """Return the score of outputs for the held-out rows."""
        task = self.problem.task
        return task.metrics(outputs, self.held_out.rows.targets)[task.score]

    def outputs(self, sets: list[Integers]) -> list[Tensor]:
        """Train a decoder on each of several sets of features; return their outputs.

        Sets with the same number of inputs are the runs of one batch. If the decoder can do without
        some of its inputs, so are all sets with few, and those of categories with similarly many.
        """
        kinds = [self._kind(int(self.sizes[each].sum())) for each in sets]
        found: dict[int, Tensor] = {}
        for kind in dict.fromkeys(kinds):
            places = [i for i, other in enumerate(kinds) if other == kind]
            found |= zip(places, self._batch([sets[i] for i in places]), strict=True)
        return [found[i] for i in range(len(sets))]

    def _kind(self, n_inputs: int) -> int:
        """Return the number of the batch of a set, given the number of inputs of its decoder."""
        if not hasattr(self.problem.decoder, "narrowed"):
            return n_inputs
        if n_inputs <= MOST_PADDED:
            return 0
        return n_inputs if (self.sizes <= 1).all() else n_inputs.bit_length()

    def _batch(self, sets: list[Integers]) -> list[Tensor]:
        """Train decoders on several sets of features in one batch."""
        only = self.problem.runs
        runs = Runs.of(list(only.seeds) * len(sets), only.learning_rates[0])
        places = sets  # in the order of the ranks
        if (self.sizes != 1).any():
            places = [np.flatnonzero(np.isin(self.owner, each)) for each in sets]
        counts = [len(each) for each in places]
        problem = replace(self.problem, runs=runs, n_selected=max(counts))
        model, device = problem.final_model, self.inputs.device
        features = torch.zeros(len(counts), max(counts), dtype=torch.long, device=device)
        for run, count in enumerate(counts):
            features[run, :count] = torch.from_numpy(places[run].copy())
        start = model.narrowed(model.init(Stream(runs.seeds, device=device)), counts)
        start["buffer:features"] = features
        if getattr(problem.decoder, "pieces", 0):
            rows = problem.rows.inputs.double().cpu().numpy()
            every = Pieces.placed(rows, max(affordable_pieces(rows.shape[1])))
            pieces = [Pieces(every.slope[each], every.shift[each]) for each in places]
            start |= stacked_pieces(pieces, max(counts), device)
        if self.solves:
            params = solved(problem, start, problem.rows.joined(problem.validation))
        else:
            params = train(model, problem, Phase.DECODING, start=start).params
        with torch.no_grad():
            return list(model.predict(params, self.inputs).double().cpu())


def _decoder_epochs(selector: Any) -> int:
    """Return the number of epochs that a decoder of the selector was trained for."""
    epochs = selector.history_["epoch"]
    return int(epochs.max()) + 1 if len(epochs) else auto_epochs(0)


def count_weights(decoder: Any, n_inputs: int, n_outputs: int) -> int:
    """Return the number of weights of a decoder."""
    params = decoder.init(n_inputs, n_outputs, Stream([0]))
    return max(sum(tensor.numel() for tensor in params.values()), 1)


def _device(selector: Any) -> torch.device:
    try:
        return device_for(selector.device)
    except InputError:  # fitted on a machine with another device
        return torch.device("cpu")
