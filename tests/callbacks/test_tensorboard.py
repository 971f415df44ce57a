"""The callback that logs metrics to TensorBoard."""

import copy
import sys

import numpy as np
import pytest

from ipcae import ReconstructionSelector
from ipcae.callbacks import TensorBoardLogger

X = np.random.default_rng(0).normal(size=(40, 6))


def test_tensorboard_reads_every_metric_of_every_run(tmp_path):
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    selector = ReconstructionSelector(
        2,
        method="ip-cae",
        n_runs=2,
        max_epochs=3,
        fine_tune=2,
        decoder=(8,),
        random_state=0,
        callbacks=TensorBoardLogger(tmp_path / "logs"),
    ).fit(X)
    assert {path.name for path in (tmp_path / "logs").iterdir()} == {"run-0", "run-1"}
    history = selector.history_
    for run in range(2):
        events = reader.EventAccumulator(str(tmp_path / "logs" / f"run-{run}")).Reload()
        tags = events.Tags()["scalars"]
        assert {"selecting/temperature", "selecting/unique_percentage"} < set(tags)
        read = [
            event.value
            for phase in ("selecting", "fine-tuning")
            for event in events.Scalars(f"{phase}/validation_loss")
        ]
        own = (history["run"] == run) & (history["metric"] == "validation_loss")
        np.testing.assert_allclose(read, history["value"][own], rtol=1e-6)


def test_a_copy_opens_files_of_its_own(tmp_path):
    pytest.importorskip("tensorboard")
    logger = TensorBoardLogger(tmp_path)
    logger._writer(0)
    twin = copy.deepcopy(logger)
    assert twin.folder == tmp_path
    assert twin._writers == {}
    logger.close()


def test_a_missing_package_is_reported_before_the_training(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(ModuleNotFoundError, match=r"ipcae\[tensorboard\]"):
        TensorBoardLogger(tmp_path)
