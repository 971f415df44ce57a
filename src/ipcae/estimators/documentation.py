"""The parameters that all selectors share, written once."""

from __future__ import annotations

from typing import TypeVar

_Class = TypeVar("_Class", bound=type)

PARAMETERS = """Parameters
    ----------
    n_features_to_select : int or float, default=None
        K: how many features, or which fraction of them. None selects half.
    method : str or selector, default="ip-cae"
        ``"ip-cae"``, ``"cae"``, ``"ip-cae-diagonal"``, ``"ip-cae-scalar"``, ``"ip-cae-mlp"``;
        ``"stg"`` and ``"lassonet"``, which select with a network on all features and then train
        new decoders; rankings without training, ``"pfa"``, ``"pivoted-qr"`` and ``"udfs"`` without
        a target, ``"anova"``, ``"mutual-information"``, ``"random-forest"``, ``"l1-logistic"``
        (classes) and ``"lasso"`` (numbers) with one; or an object such as
        ``Concrete(Full(size=64), regularizer=Gjsd(0.05))``. Of the rankings only
        ``"random-forest"`` and ``"l1-logistic"`` use sample weights; decoders always do.
        The embedding of ``"ip-cae"`` has P = min(D, 128) numbers, so that its W never is D × D
        for large D, which the logger ``"ipcae"`` tells at level INFO;
        ``Concrete(Full(size="features"))`` is the paper's P = D.
    n_runs : int, default=1
        Models trained at once from different seeds. The one with the lowest validation loss is
        the answer; how often each feature was chosen is kept in ``agreement_``.
    max_epochs : int, default=200
        The temperature falls over these epochs, whether or not a run stops early.
    batch_size : int or "auto", default="auto"
        "auto" makes about 50 batches an epoch, of 16 to 128 rows.
    learning_rate : float or sequence of float, default=1e-3
        Of Adam; one for all runs or one per run.
    schedule : str or callable, default="constant"
        Factor on the learning rate: "constant", "warmup" (linear over the first eighth), "cosine"
        (falling to zero), an object such as ``Warmup(fraction=0.25)``, or a function of the part
        of training that is done, from 0 to 1.
    weight_decay : float, default=0.0
        L2 penalty, as in ``torch.optim.Adam``.
    noise_draws : int, "row" or None, default=None
        Independent draws of noise per batch. None leaves it to the method, which uses 8; "row" is
        the paper's.
    decoder : str, tuple, decoder or callable, default="auto"
        "auto", "linear", "mlp" (the paper's), widths of hidden layers such as ``(200, 200)``, an
        object such as ``Mlp(dropout=0.1)``, or a function of (number of inputs, number of outputs)
        that returns an ``nn.Module``.
    loss : str, loss or callable, default=None
        None is the task's own. A function takes outputs (runs, rows, outputs) and targets and
        returns one loss per run and row.
    scale : str or None, default="auto"
        "standard" (every column to unit variance), "common" (one scale for all columns),
        "minmax", "auto" ("common" where the columns' spreads are alike, else "standard") or None.
    fine_tune : bool or int, default=True
        Train the decoder a little more once the selection is fixed: for so many epochs, or a
        fifth of ``max_epochs``.
    unique : bool, default=True
        Always select exactly K different features. False keeps the nodes' own choices, which may
        collide, as in the paper.
    validation_fraction : float or None, default=0.2
        Part of the rows that is set aside to choose the best epoch and run. None uses the
        training rows.
    early_stopping : bool or int, default=False
        Stop a run after so many epochs without a lower validation loss; True is a quarter of
        ``max_epochs``.
    shuffle : bool, default=True
        A new order of the rows every epoch.
    drop_last : bool, default=False
        Leave out the last partial batch.
    checkpoint : path or Checkpoint, default=None
        A folder to save the state of training to, every ten epochs.
    resume : bool, default=False
        Continue the training in that folder; the result is that of an undisturbed one.
    callbacks : callable or list of callable, default=None
        Each is called with an ``ipcae.training.EpochReport`` after every epoch, of the selection
        and of the fine-tuning; one that returns True ends that phase. They are not saved.
    device : str, default="auto"
        "auto" uses a CUDA GPU if there is one.
    precision : str, default="auto"
        Of matrix products in training on a GPU, "float32", "tf32" or "bfloat16"; "auto" is "tf32".
        The CPU always computes in float32.
    random_state : int, RandomState or None, default=None
        With an int, the same call gives the same result on the same machine with the same number
        of threads, also beside other fits in threads. Sums of large matrices are divided among
        threads, so that another ``torch.get_num_threads()`` rounds them differently.
    verbose : int, default=0
        1 shows a progress line on standard error; 0 is silent.

    Attributes
    ----------
    selection_ : Selection
        What the best run selected: the nodes' own choice, the final features, the probability of
        every feature. ``selections_`` holds those of all runs.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, from 1; the selected ones come first.
    importance_ : ndarray of shape (n_runs, K)
        Rise of the validation loss when a selected column is shuffled.
    agreement_ : ndarray of shape (n_features,)
        Fraction of the runs that selected each feature.
    validation_loss_ : ndarray of shape (n_runs,)
        Final validation loss; ``best_run_`` is where it is lowest.
    run_seeds_, run_status_, best_epoch_ : list
        Seed of every run, how it ended, and the epoch its selection comes from.
    history_ : dict of ndarray
        Columns run, epoch, metric and value; ``pandas.DataFrame(selector.history_)`` is a table.
    n_features_in_, feature_names_in_ :
        Of the data seen by ``fit``."""


def with_parameters(cls: _Class) -> _Class:
    """Put the shared parameters into a class's docstring, where it says ``{parameters}``."""
    cls.__doc__ = (cls.__doc__ or "").replace("{parameters}", PARAMETERS)
    return cls
