"""The history of a training in long format."""

import numpy as np
import pytest

from ipcae.losses import CrossEntropy, CustomLoss, Huber, SquaredError
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors import SelectThenDecode
from ipcae.training import History, Phase, Plan, curve, train
from tests.problems import problem

SELECTION = {"unique_percentage", "gjsd", "temperature", "largest_probability"}
PLAN = Plan(max_epochs=4, batch_size=16)


def test_columns_are_five_arrays_of_equal_length():
    history = History()
    history.add(0, Phase.SELECTING, "a", [0, 1], [0.5, 0.25])
    history.add(1, Phase.FINE_TUNING, "a", [1], [0.125])
    columns = history.columns()
    assert list(columns) == ["run", "epoch", "phase", "metric", "value"]
    assert columns["run"].tolist() == [0, 1, 1]
    assert columns["epoch"].tolist() == [0, 0, 1]
    assert columns["phase"].tolist() == ["selecting", "selecting", "fine-tuning"]
    assert {type(phase) for phase in columns["phase"]} == {str}
    assert columns["metric"].tolist() == ["a", "a", "a"]
    assert columns["value"].tolist() == [0.5, 0.25, 0.125]
    assert [columns[name].dtype.kind for name in columns] == ["i", "i", "O", "O", "f"]


def test_an_empty_history_has_empty_columns():
    columns = History().columns()
    assert {name: len(column) for name, column in columns.items()} == {
        "run": 0,
        "epoch": 0,
        "phase": 0,
        "metric": 0,
        "value": 0,
    }


def test_values_must_be_as_many_as_runs():
    with pytest.raises(ValueError, match="zip"):
        History().add(0, Phase.SELECTING, "a", [0, 1], [0.5])


def test_what_happened_afterwards_is_counted_on():
    first, later = History(), History()
    first.add(0, Phase.SELECTING, "a", [0], [1.0])
    later.add(0, Phase.DECODING, "a", [0], [2.0])
    first.extend(later)
    assert first.columns()["epoch"].tolist() == [0, 1]
    assert first.columns()["phase"].tolist() == ["selecting", "decoding"]
    assert curve(first.columns(), "a", 0).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("loss", "metric"),
    [
        (CrossEntropy(), {"validation_accuracy"}),
        (SquaredError(), {"validation_error"}),
        (Huber(), {"validation_error"}),
        (CustomLoss(lambda outputs, targets: (outputs - targets).abs().mean(-1)), set()),
    ],
    ids=["classification", "reconstruction", "robust", "own loss"],
)
def test_training_records_its_metrics_for_every_run_and_epoch(
    loss, metric, model, rows, validation
):
    if not isinstance(loss, CrossEntropy):
        rows, validation = (Rows(part.inputs) for part in (rows, validation))
        model = SelectThenDecode(model.selector, model.decoder, 9, 3, 9)
    columns = train(model, problem(loss, rows, validation, Runs.of([1, 2]), PLAN)).history.columns()
    names = {"train_loss", "validation_loss"} | metric | SELECTION
    assert set(columns["metric"]) == names
    assert set(columns["phase"]) == {"selecting"}
    recorded = list(zip(columns["run"], columns["epoch"], columns["metric"], strict=True))
    assert len(set(recorded)) == len(recorded) == 2 * 4 * len(names)
    assert np.isfinite(columns["value"]).all()


def test_recorded_figures_lie_in_their_ranges(model, rows, validation):
    columns = train(
        model, problem(CrossEntropy(), rows, validation, Runs.of([1, 2]), PLAN)
    ).history.columns()

    def values(metric):
        return np.concatenate([curve(columns, metric, run) for run in range(2)])

    assert set(np.round(values("unique_percentage"), 3)) <= {33.333, 66.667, 100.0}
    assert ((values("gjsd") >= 0) & (values("gjsd") <= np.log(3))).all()
    assert ((values("largest_probability") >= 1 / 9) & (values("largest_probability") <= 1)).all()
    # Seventeen validation rows: an accuracy is a multiple of 100 / 17.
    right = values("validation_accuracy") * 17 / 100
    np.testing.assert_allclose(right, np.round(right), atol=1e-4)


def test_the_recorded_temperature_is_the_one_the_epoch_was_trained_at(model, rows, validation):
    columns = train(
        model, problem(CrossEntropy(), rows, validation, Runs.of([1]), PLAN)
    ).history.columns()
    expected = [10 * 0.001 ** (epoch / 4) for epoch in range(4)]
    np.testing.assert_allclose(curve(columns, "temperature", 0), expected, rtol=1e-6)
