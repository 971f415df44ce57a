"""The documentation of the parameters and attributes that all selectors share."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import TypeVar

from ipcae.selectors import METHODS
from ipcae.tasks import Task
from ipcae.training import Phase

_Class = TypeVar("_Class", bound=type)
_Init = TypeVar("_Init", bound=Callable[..., None])

PARAMETERS = """Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number of features to select (K), or the fraction of them. None selects half.
    method : str, Method or None, default=None
        The selection method, by name or as an object such as
        ``Concrete(Full(size=64), regularizer=Gjsd(0.05))``. None chooses a method for the task and
        the size of the table (see :func:`ipcae.selectors.recommended`): a network such as
        ``"ip-cae"`` or ``"subset"``, or a ranking if there are few rows. ``method_`` is the name of
        the method that was used.

        {methods}

        ``"auto"`` compares several of them on the rows of ``fit`` by cross-validation and uses the
        best; ``comparison_`` has the scores, and ``method_`` the name.

        The embedding of ``"ip-cae"`` has P = min(D, 128) entries, so that W does not grow as D × D;
        if P < D, the logger ``"ipcae"`` reports it at level INFO. The paper's P = D is
        ``Concrete(Full(size="features"))``.
    include : str, int or list, default=None
        Features that are always selected and count toward K; the others are chosen given them.
        Names, indices, a boolean mask, or patterns: a string that is not the name of a column is
        a regular expression, matched anywhere in a name, such as ``"^MT-"``.
    exclude : str, int or list, default=None
        Features that are never selected, given as for ``include``.
    feature_groups : dict, list of lists or array of labels, default=None
        Columns that are measured together, such as the axes of a sensor: a group is selected as a
        whole, and ``n_features_to_select`` counts groups. Columns by the name of the group, lists
        of columns, or a label for every column; columns in no group are on their own.
    at_most : list of (int, columns), default=None
        Limits, such as ``[(1, ["left", "right"])]`` for at most one of two columns. Columns are
        given as for ``include``; a group counts once. If a feature is in several limits, fewer
        than K features may be selected.
    feature_costs : array, dict or Series, default=None
        Cost of every column, or of groups by their names. The cost of a group is by default the
        sum of the costs of its columns.
    budget : float, default=None
        Largest total cost of the selected features. ``n_features_to_select`` is then a maximum;
        None means as many features as the budget allows.
    categories : "auto" or "error", default="auto"
        Data frames may have columns that are not numbers. "auto" turns categories, and texts with
        at most 30 levels, into one input of the decoder per level; the column is one feature. A
        level that was not seen in ``fit`` sets none of them, with a warning. Other texts and
        identifiers are left out, with a warning. "error" refuses such columns.
    missing : "error" or "impute", default="error"
        "impute" replaces a missing number by the median of the training rows. If the column had
        missing numbers in ``fit``, a further input of the decoder marks them; the column is one
        feature. In a category, missing is a level. Missing values are ignored in the loss and the
        score of a reconstruction. "error" refuses missing values.
    dates : "ignore" or "numbers", default="ignore"
        Whether dates in data frames are left out, or used as the number of days since 1970.
    n_runs : int, default=1
        Number of models, trained together from different seeds. The run with the lowest
        validation loss is used for prediction; ``other_seeds_`` compares the selections.
    max_epochs : int or "auto", default="auto"
        Number of training epochs. The temperature is annealed over all of them, even if a run
        stops early. "auto" is 200; for classification with 20,000 rows or more, it gives as many
        steps as for 10,000 rows, in at least 40 epochs. For classification and regression with
        5,000 rows or more and up to 200 columns, it is that or 60, whichever is less, if
        ``decoder`` is "auto" and a ranking proposes or selects the features. Of more than 50,000
        training rows, an epoch has 50,000, drawn at random for every epoch; with
        ``shuffle=False``, it has all rows.
    batch_size : int or "auto", default="auto"
        Rows per batch. "auto" gives about 50 batches per epoch, of 16 to 128 rows.
    learning_rate : float or sequence of float, default=1e-3
        Learning rate of Adam: one value, or one per run.
    schedule : str or callable, default="constant"
        Factor on the learning rate: "constant", "warmup" (linear over the first eighth of the
        training), "cosine" (decay to zero), an object such as ``Warmup(fraction=0.25)``, or a
        function of the training progress, from 0 to 1.
    weight_decay : float, default=0.0
        L2 penalty, as in ``torch.optim.Adam``.
    noise_draws : int, "row" or None, default=None
        Independent noise samples per batch. None uses the default of the method, which is 8;
        "row" draws one per row, as in the paper.
    decoder : str, tuple, decoder or callable, default="auto"
        The model that predicts from the selected features: "auto", "linear", "mlp" (the paper's),
        the widths of the hidden layers, such as ``(200, 200)``, an object such as
        ``Mlp(dropout=0.1)``, or a function of (n_inputs, n_outputs) that returns an ``nn.Module``.
        A linear decoder for reconstruction, regression or survival is computed directly, not
        trained. "auto" chooses among several kinds by cross-validation if there are up to 5,000
        rows or 200 columns (``decoders_``).
    loss : str, loss or callable, default=None
        None uses the default of the task. A function takes outputs of shape
        (runs, rows, outputs) and targets, and returns losses of shape (runs, rows).
    scale : str or None, default="auto"
        "standard" (unit variance per column), "common" (one scale for all columns), "minmax",
        "auto" ("common" if the ranges of the columns are similar, else "standard"), or None for
        no scaling.
    fine_tune : bool or int, default=True
        Number of epochs to train the decoder after the selection is fixed. True uses a fifth of
        ``max_epochs``; if that is "auto", at least 20, and 40 for fewer than 20,000 rows. False
        disables fine-tuning.
    refit : bool or "best", default=True
        Whether to repeat the fine-tuning on the training rows and the held-out rows; "best" does so
        only for the run that predicts, which saves time if there are several. Decoders for
        classification are always refitted, others unless fine-tuning raised their validation loss
        by a tenth.
        ``validation_loss_`` and ``importance_`` are measured before that. Rows passed as
        ``X_val``, and rows held out from a table that is read in parts, are never trained on.
    unique : bool, default=True
        Whether to select exactly K different features. If False, several nodes may select the
        same feature, as in the paper.
    validation_fraction : float or None, default=0.2
        Fraction of the rows to hold out for choosing the best epoch and run, at most 50,000 rows
        unless there are groups. None uses the training rows. Methods that rank the features without
        a network also use these rows, so their validation loss is optimistic.
    early_stopping : bool, int or "auto", default="auto"
        Number of epochs without a lower validation loss after which a run stops. "auto" uses a
        tenth of ``max_epochs``, at least 10, and waits until the selection has settled, that is,
        until every node has a feature with a probability of at least 0.9. True uses a quarter of
        ``max_epochs``, settled or not; False never stops early.
    shuffle : bool, default=True
        Whether to shuffle the rows in every epoch.
    drop_last : bool, default=False
        Whether to drop the last incomplete batch.
    checkpoint : path or Checkpoint, default=None
        Folder in which to save the state every ten epochs.
    resume : bool, default=False
        Whether to resume the fit saved in that folder. The result is the same as without the
        interruption.
    callbacks : callable or list of callable, default=None
        Functions to call with an ``ipcae.training.EpochReport`` after every epoch of every phase.
        A callback that returns True ends the phase. Callbacks are not saved.
    device : str, default="auto"
        "auto" uses a CUDA GPU if one is available.
    precision : str, default="auto"
        Precision of matrix products in training on a GPU: "float32", "tf32" or "bfloat16". "auto"
        is "tf32". The CPU always uses float32.
    random_state : int, RandomState or None, default=None
        Pass an int for reproducible results on the same machine with the same number of threads
        (``torch.get_num_threads()``), which affects how large sums are rounded.
    verbose : int, default=0
        1 shows the progress: a bar on a terminal or in a notebook, lines elsewhere. 0 is silent.

    Attributes
    ----------
    method_ : str or Method
        The method that was used, which can be passed as ``method``. ``method_reason_`` says why.
    selection_ : Selection
        Selection of the best run: the choice of every node, the final features, and the selection
        probability of every feature. ``selections_`` contains the selections of all runs.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, starting at 1. Selected features come first, ordered by importance
        or, for methods with scores, by the mean of their ranks by importance and by score.
    importance_ : ndarray of shape (n_runs, K)
        Permutation importance: the increase of the validation loss when a selected column is
        shuffled, in the order of ``selections_[run].features``.
    other_seeds_ : ndarray of shape (n_features,)
        Fraction of the runs other than the best that selected each feature; NaN for a single run,
        and for methods that do not depend on the seed.
    validation_loss_ : ndarray of shape (n_runs,)
        Final validation loss of every run.
    best_run_ : int
        The run with the lowest validation loss, which selects and predicts; ``with_run`` returns
        the selector of another.
    run_seeds_, run_status_, best_epoch_ : list
        Seed of every run, how it ended, and the epoch of its selection, -1 for rankings.
    decoders_ : list of str
        The kind of every run's decoder: "usual", or "whitened inputs", "piecewise linear inputs",
        "linear", "network" or "additive" (a sum of piecewise linear functions of the columns) where
        this predicted held-out rows better.
    history_ : dict of ndarray
        Metrics of every epoch in long format, for ``pandas.DataFrame(selector.history_)``. The
        columns are ``run``, ``epoch`` (counted from 0 through all phases), ``phase``, ``metric``
        and ``value``.
    fit_seconds_ : float
        Duration of the selection and of the training.
    comparison_ : dict of ndarray
        Only with ``method="auto"``, for every method: ``method``, ``mean_test_score``,
        ``standard_error``, ``seconds``, and whether it was ``compared`` and ``chosen``.
    task_ : Task
        The fitted task: it encodes targets, and computes predictions and metrics from the outputs
        of the decoder.
    data_min_, data_max_ : ndarray of shape (n_features,)
        Smallest and largest value of every feature, NaN for categories. Values far outside this
        range cause a warning in predictions.
    encoding_ : Encoding
        What the columns of X contain. Only if they are not all numbers, or if ``missing="impute"``.
    constraints_ : Constraints
        The constraints on the selection, by column.
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during ``fit``. Only if X has string column names."""

_KINDS = {
    (Phase.SELECTING,): "Methods trained together with the decoder",
    (Phase.SCREENING, Phase.DECODING): "Networks that read all features and drop all but K",
    (Phase.RANKING, Phase.SELECTING): "IP-CAE among the best features of a ranking",
    (Phase.RANKING, Phase.DECODING): "Rankings, which score the features without a network",
}


def with_parameters(cls: _Class) -> _Class:
    """Replace ``{parameters}`` in the docstring of a class by the shared documentation."""
    shared = inspect.cleandoc(PARAMETERS).replace("    {methods}", _methods_for(cls._task))  # type: ignore[attr-defined]
    own = getattr(cls, "_own_parameters", "")
    shared = shared.replace("\n\nAttributes\n", f"{own}\n\nAttributes\n")
    cls.__doc__ = inspect.cleandoc(cls.__doc__ or "").replace("{parameters}", shared)
    return cls


def with_signature_of(base: Callable[..., None]) -> Callable[[_Init], _Init]:
    """Let ``__init__(self, ..., name=default, **parameters)`` have the parameters of ``base``, too.

    scikit-learn reads the parameters of an estimator from the signature of its ``__init__``.
    """

    def decorate(init: _Init) -> _Init:
        inherited = inspect.signature(base).parameters
        own = inspect.signature(init).parameters.values()
        added = [p for p in own if p.name not in inherited and p.kind == p.KEYWORD_ONLY]
        signature = inspect.Signature([*inherited.values(), *added])
        init.__signature__ = signature  # type: ignore[attr-defined]
        return init

    return decorate


def _methods_for(task: type[Task]) -> str:
    """Return a list of the registered methods for a task, grouped by kind."""
    items = []
    for phases, kind in _KINDS.items():
        names = [
            f'``"{name}"``'
            for name, method in METHODS.items()
            if method.supports(task) and method.phases == phases
        ]
        if names:
            items.append(f"- {kind}: {', '.join(names)}.")
    return "\n".join(
        textwrap.fill(
            item, 96, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False
        )
        for item in items
    )
