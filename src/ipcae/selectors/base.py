"""The interface of a selection method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from ipcae.arrays import Integers
from ipcae.constraints import Constraints
from ipcae.decoders import Decoder
from ipcae.errors import InputError
from ipcae.models import FixedSelection, Model
from ipcae.regularizers import FeatureCosts
from ipcae.tasks import Task
from ipcae.training import Choice, Phase, Problem
from ipcae.training.choices.decoding import decode_included
from ipcae.training.choices.spread_runs import choose_together


@dataclass(frozen=True)
class Shape:
    """The decoder and the sizes of a method's models; without constraints, all columns count."""

    decoder: Decoder
    n_features: int
    n_selected: int
    n_outputs: int
    constraints: Constraints | None = None

    @property
    def n_units(self) -> int:
        """The number of columns and groups of columns to choose from."""
        return self.n_features if self.constraints is None else len(self.constraints.candidates)

    @property
    def width(self) -> int:
        """The number of columns of the largest group."""
        return 1 if self.constraints is None else self.constraints.width

    @property
    def final_model(self) -> FixedSelection:
        """The final model of a fit."""
        n_inputs = self.n_selected
        if self.constraints is not None:
            n_inputs = self.constraints.most_columns(self.n_selected)
        return FixedSelection(self.decoder, n_inputs, self.n_outputs)


class Method(ABC):
    """A selection method. A subclass is a frozen dataclass of hyper-parameters.

    Attributes
    ----------
    needs : "target", "classes", "numbers", "times" or None
        What the method needs to be predicted: classes or numbers ("target"), either of them, or
        times that may be censored; None for nothing in particular.
    phases : tuple of Phase
        Phases of :meth:`choose`, before any fine-tuning.
    random : bool
        Whether the selection depends on the seed.
    streams : bool
        Whether the method reads rows in batches only, so that they need not be in memory.
    samples : bool
        Whether the method can do with a sample of rows that are not in memory.
    measure : str
        What the method measures of every feature: the "probability" to draw it, or a "score".
    shares_rows : bool
        Whether runs with different rows are trained together, if they are in one problem.
    few_candidates : bool
        Whether a network reads only the best columns of a ranking, so that few epochs are enough
        for many rows.
    auto_decoder : Decoder or None
        The decoder for ``decoder="auto"``; None for that of the task.
    penalty_weight : float or tuple of float
        Weight of the method's penalty: one for all runs, or one per run.
    """

    needs: ClassVar[str | None] = None
    phases: ClassVar[tuple[Phase, ...]]
    random: ClassVar[bool] = True
    streams: ClassVar[bool] = False
    samples: ClassVar[bool] = False
    measure: ClassVar[str] = "probability"
    shares_rows: ClassVar[bool] = True
    few_candidates: ClassVar[bool] = False
    auto_decoder: ClassVar[Decoder | None] = None

    @property
    def penalty_weight(self) -> float | tuple[float, ...]:
        """Weight of the penalty; 0 by default."""
        return 0.0

    def supports(self, task: type[Task]) -> bool:
        """Return whether the method can be used for a task."""
        if self.needs is None:
            return True
        kinds = {
            "target": not task.censored,
            "classes": task.discrete,
            "numbers": not task.discrete and not task.censored,
            "times": task.censored,
        }
        return task.supervised and kinds[self.needs]

    def encoded(self, owner: Integers) -> Method:
        """Return the method for encoded columns, such as the levels of a category.

        Shape: owner (E,), the feature that an encoded column belongs to.
        """
        return self

    def with_costs(self, costs: FeatureCosts) -> Self:
        """Return the method with soft penalties on features, or raise an error if it has none."""
        raise InputError(
            f"{type(self).__name__} has no soft penalties on features, such as limits of the "
            "expression: use 'ip-cae' or a ranking, or exclude features."
        )

    @abstractmethod
    def choose(self, problem: Problem) -> Choice:
        """Select K features for every run, and train decoders on them.

        The selections satisfy ``problem.constraints``; fewer features than K are included.
        """

    def models(self, shape: Shape) -> Sequence[Model]:
        """Return the models that are trained, to estimate their memory."""
        return [shape.final_model]

    def n_logits(self, shape: Shape) -> int:
        """Return the number of logits of a run, of methods that sample a selection."""
        return shape.n_selected * shape.n_units

    def sampling_bytes(self, shape: Shape, n_runs: int, batch_size: int, on_cpu: bool) -> int:
        """Return the memory in bytes that a step needs to sample a selection."""
        return 0

    def ranking_bytes(self, n_rows: int, n_features: int) -> int:
        """Return the memory in bytes that scoring the features needs, in addition to the rows."""
        return 0


@dataclass(frozen=True)
class Penalized(Method):
    """A method whose soft penalties on features are in proportion to their costs."""

    costs: FeatureCosts | None = field(default=None, repr=False, kw_only=True)

    def with_costs(self, costs: FeatureCosts) -> Self:
        """Return the method with soft penalties on features."""
        return replace(self, costs=costs)

    def encoded(self, owner: Integers) -> Self:
        """Return the method with the costs of encoded columns."""
        return self if self.costs is None else replace(self, costs=self.costs.among(owner))


def choose_within_constraints(method: Method, problem: Problem) -> Choice:
    """Let a method choose features; if all K are included, only train decoders.

    Inside :func:`ipcae.distributed.spread`, several processes do so together.
    """
    return choose_together(method.choose if problem.n_to_choose else decode_included, problem)
