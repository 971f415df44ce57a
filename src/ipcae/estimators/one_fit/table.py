"""Read and check the user's table, with its task, loss and constraints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Floats, Integers
from ipcae.constraints import Constraints, affordable, read_constraints, require_feasible
from ipcae.errors import InputError, as_input_error
from ipcae.estimators.one_fit import streaming
from ipcae.estimators.one_fit.encoding import without_left_out
from ipcae.estimators.one_fit.far_targets import warn_of_far_targets
from ipcae.feature_table import feature_names
from ipcae.losses import Loss
from ipcae.rows import Rows
from ipcae.sources import Source, StreamedRows
from ipcae.tables import read_groups, read_weights
from ipcae.tables.checks.missing_codes import warn_of_codes_in_target
from ipcae.tables.encodings.encoding import Encoding
from ipcae.tables.frames import warn_of_other_order
from ipcae.tables.reading import read_new_rows
from ipcae.tables.selection_size import count_to_select
from ipcae.tasks import Task

if TYPE_CHECKING:
    from ipcae.estimators.base import NeuralSelector


@dataclass(frozen=True, eq=False)
class Table:
    """The user's table in the original units, with its task and loss.

    The rows are tensors, or read in parts (:class:`ipcae.sources.StreamedRows`). ``names`` has the
    names of the columns, if they have any.
    """

    rows: Rows
    task: Task
    loss: Loss
    n_selected: int
    constraints: Constraints
    encoding: Encoding | None = None
    names: list[str] | None = None

    @property
    def groups(self) -> Integers | None:
        """The number of the group of every row, if there are groups. Shape: (N,)."""
        return None if self.rows.groups is None else self.rows.groups.cpu().numpy()

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of features."""
        return len(self.rows), self.rows.inputs.shape[1]


def read_table(
    selector: NeuralSelector, X: Any, y: Any, sample_weight: Any, groups: Any = None
) -> Table:
    """Check X, y, the sample weights and the groups, and convert X, y and the weights to tensors.

    A :class:`Source` is read in parts, later.
    """
    selector.__dict__.pop("encoding_", None)
    inputs: Tensor | Source = X
    encoding = None
    if isinstance(X, Source):
        streaming.check_source(selector, X)
    else:
        inputs, encoding = _read_inputs(selector, X, y)
        for values, name in ((y, "y"), (sample_weight, "sample_weight"), (groups, "groups")):
            warn_of_other_order(X, values, name)
    names = feature_names(selector)
    n_selected, constraints = constraints_for(selector, names, encoding)
    rows, task = _read_rows(selector, inputs, y, sample_weight)
    rows = replace(rows, groups=_numbered(read_groups(groups, rows)))
    if rows.weights is not None and not bool(rows.weights.all()):
        # Rows of weight 0 must not influence scaling or validation either.
        counted = rows.weights.nonzero().flatten()
        if isinstance(rows, StreamedRows):
            rows = rows.subset(counted.cpu().numpy())
        else:
            rows = rows.take(counted)
        _require_several_classes(rows, task)
    loss = selector._loss_for(task)
    if rows.given_targets is not None:
        warn_of_far_targets(rows.given_targets, task, loss)
    named = names if hasattr(selector, "feature_names_in_") else None
    return Table(rows, task, loss, n_selected, constraints, encoding, named)


def _require_several_classes(rows: Rows | StreamedRows, task: Task) -> None:
    """Raise an error if all rows whose weight is positive have the same class."""
    targets = rows.given_targets
    if not task.discrete or targets is None or targets.ndim > 1:
        return
    if bool((targets == targets[0]).all()):
        raise InputError(
            "All rows with a positive sample_weight have the same class: expected at least two."
        )


def _numbered(groups: NDArray[Any] | None) -> Tensor | None:
    """Return the number of the group of every row; None stays None. Shape: (N,) -> (N,)."""
    if groups is None:
        return None
    with as_input_error():
        return torch.from_numpy(np.unique(groups, return_inverse=True)[1])


def _read_inputs(selector: NeuralSelector, X: Any, y: Any) -> tuple[Tensor, Encoding | None]:
    """Return X as numbers, and what its columns contain; warn of what may be wrong with it."""
    options = {name: getattr(selector, name) for name in ("categories", "missing", "dates")}
    inputs, encoding = read_new_rows(selector, X, **options)
    warn_of_codes_in_target(y)
    if encoding is not None:
        selector.encoding_ = encoding
    return inputs, encoding


def _read_rows(
    selector: NeuralSelector, inputs: Tensor | Source, y: Any, sample_weight: Any
) -> tuple[Rows, Task]:
    """Return the rows with targets and weights, and the task that was learned from the target."""
    streamed = isinstance(inputs, Source)
    known = cast(Tensor, inputs)  # of a source, the length, the shape and the device are used
    weights = read_weights(sample_weight, known)
    task = selector._fitted_task.read(y, known, type(selector).__name__)
    targets = None if streamed and task.restores_rows else task.encode(y, known)
    if targets is not None:
        weights = selector._row_weights(task, targets, weights)
    if isinstance(inputs, Source):
        return StreamedRows.of(inputs, targets, weights, task.columns_follow), task
    return Rows(inputs, targets, weights), task


def constraints_for(
    selector: NeuralSelector, names: list[str], encoding: Encoding | None = None
) -> tuple[int, Constraints]:
    """Return K and the constraints of a table with these columns, or raise an error.

    A fraction refers to the features that may be selected.
    """
    wanted = selector.n_features_to_select
    constraints = read_constraints(
        names,
        selector.include,
        selector.exclude,
        selector.feature_groups,
        selector.at_most,
        selector.feature_costs,
        selector.budget,
    )
    constraints = without_left_out(constraints, encoding)
    n_included, n_features = len(constraints.included_units), constraints.n_features
    if wanted is None and constraints.budget is not None:
        n_selected = max(affordable(constraints), 1)
    else:
        if wanted is None or isinstance(wanted, float | np.floating):
            n_features = n_included + len(constraints.candidates)
        n_selected = count_to_select(wanted, max(n_features, 1))
        n_selected = max(n_selected, n_included) if wanted is None else n_selected
    require_feasible(constraints, n_selected, names)
    return n_selected, constraints


def ranges_of(table: Table, training: Rows, validation: Rows) -> tuple[Floats, Floats]:
    """Return the smallest and the largest value of every column, NaN if it has no numbers.

    Shape: -> (D,), (D,).
    """
    if isinstance(training, StreamedRows):
        return streaming.ranges_of(training, validation)
    inputs = table.rows.inputs
    if table.encoding is None:
        low, high = inputs.amin(0), inputs.amax(0)
    else:
        numbers = [coding.used and not coding.levels for coding in table.encoding.codings]
        known = torch.tensor(numbers, device=inputs.device)
        low = torch.where(known, inputs.nan_to_num(nan=torch.inf).amin(0), torch.nan)
        high = torch.where(known, inputs.nan_to_num(nan=-torch.inf).amax(0), torch.nan)
    return low.double().cpu().numpy(), high.double().cpu().numpy()
