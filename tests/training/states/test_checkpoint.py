"""A training that was interrupted and resumed equals an uninterrupted one."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
import torch

from ipcae.decoders import Mlp
from ipcae.errors import InputError, TrainingWarning
from ipcae.losses import CrossEntropy
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors import Concrete, SelectThenDecode
from ipcae.training import Checkpoint, Phase, Plan
from tests.problems import Cut, choose_features, cut_after

PLAN = Plan(max_epochs=12, batch_size=16, patience=6)
RUNS = Runs.of([1, 2, 3], learning_rate=[1e-3, 1e-2, 1e-1])


def choose(checkpoint=None, cut_at=None, plan=PLAN, seed=0, callbacks=()):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(90, 13, generator=generator)
    y = (x[:, 2] + x[:, 5] > 0).long()
    model = SelectThenDecode(Concrete(), Mlp((17,), dropout=0.2), 13, 4, 2)
    with checkpoint.locked() if checkpoint else nullcontext():  # as an estimator does
        return choose_features(
            model,
            CrossEntropy(),
            Rows(x[:70], y[:70]),
            Rows(x[70:], y[70:]),
            RUNS,
            plan,
            fine_tune_epochs=5,
            callbacks=(cut_after(cut_at), *callbacks),
            checkpoint=checkpoint,
        )


def assert_same(choice, other):
    for name, tensor in choice.params.items():
        assert torch.equal(tensor, other.params[name]), name
    for one, two in zip(choice.selections, other.selections, strict=True):
        np.testing.assert_array_equal(one.features, two.features)
        np.testing.assert_array_equal(one.probability, two.probability)
    for name, column in choice.history.columns().items():
        np.testing.assert_array_equal(column, other.history.columns()[name], err_msg=name)
    assert choice.status == other.status
    assert choice.best_epoch == other.best_epoch
    np.testing.assert_array_equal(choice.validation_loss, other.validation_loss)


@pytest.fixture(scope="module")
def undisturbed():
    return choose()


def test_saving_changes_nothing(tmp_path, undisturbed):
    assert_same(choose(Checkpoint(tmp_path, every=1)), undisturbed)


@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("cut_at", [1, 5, 7, 12, 13, 16])
def test_a_resumed_training_equals_an_undisturbed_one(tmp_path, undisturbed, cut_at, every):
    with pytest.raises(Cut):
        choose(Checkpoint(tmp_path, every=every), cut_at=cut_at)
    assert_same(choose(Checkpoint(tmp_path, every=every, resume=True)), undisturbed)


def test_a_training_may_be_cut_again_and_again(tmp_path, undisturbed):
    for _ in range(20):
        try:
            assert_same(choose(Checkpoint(tmp_path, 1, resume=True), cut_at=2), undisturbed)
            return
        except Cut:
            pass
    pytest.fail("the training did not get on")


def test_a_finished_training_is_not_repeated(tmp_path, undisturbed):
    choose(Checkpoint(tmp_path))
    assert_same(choose(Checkpoint(tmp_path, resume=True), cut_at=1), undisturbed)


def test_a_checkpoint_of_other_rows_or_settings_is_refused(tmp_path):
    choose(Checkpoint(tmp_path))
    with pytest.raises(InputError, match=r"other data or settings \(rows, validation rows\)"):
        choose(Checkpoint(tmp_path, resume=True), seed=1)
    with pytest.raises(InputError, match=r"other data or settings \(training settings\)"):
        choose(Checkpoint(tmp_path, resume=True), plan=Plan(max_epochs=13, batch_size=16))


def test_a_checkpoint_is_not_overwritten_by_default(tmp_path):
    choose(Checkpoint(tmp_path))
    with pytest.raises(InputError, match="resume=True"):
        choose(Checkpoint(tmp_path))


def test_a_damaged_checkpoint_raises_an_error(tmp_path):
    choose(Checkpoint(tmp_path))
    path = Checkpoint(tmp_path).path
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match="damaged"):
        choose(Checkpoint(tmp_path, resume=True))


def test_a_damage_of_any_byte_raises_an_error(tmp_path):
    choose(Checkpoint(tmp_path))
    path = Checkpoint(tmp_path).path
    whole, chance = path.read_bytes(), random.Random(0)
    positions = chance.sample(range(64), 10) + chance.sample(range(len(whole)), 50)
    for position in positions:
        damaged = bytearray(whole)
        damaged[position] ^= chance.randrange(1, 256)
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"damaged"):
            choose(Checkpoint(tmp_path, resume=True))
    path.write_bytes(whole)
    choose(Checkpoint(tmp_path, resume=True), cut_at=1)


@pytest.mark.parametrize("kept", [0, 1, 18, 19, 50, 51, 500])
def test_a_truncated_checkpoint_raises_an_error(tmp_path, kept):
    choose(Checkpoint(tmp_path))
    path = Checkpoint(tmp_path).path
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(InputError, match="damaged"):
        choose(Checkpoint(tmp_path, resume=True))


def test_every_phase_has_a_file_of_its_name(tmp_path):
    checkpoint = Checkpoint(tmp_path / "new")
    assert not checkpoint.in_use
    choose(checkpoint)
    assert checkpoint.in_use
    assert checkpoint.of_phase(Phase.FINE_TUNING).in_use
    names = {path.name for path in checkpoint.folder.iterdir()}
    assert names == {"selecting.checkpoint", "fine-tuning.checkpoint"}
    assert checkpoint.of_phase(Phase.FINE_TUNING).path.name == "fine-tuning.checkpoint"


def test_a_checkpoint_that_cannot_be_written_is_a_warning_and_training_goes_on(
    tmp_path, undisturbed
):
    folder = tmp_path / "unplugged"

    def unplug(report):
        if report.phase == "selecting" and report.epoch == 3:
            shutil.rmtree(folder)

    with pytest.warns(TrainingWarning, match=r"after epoch \d+ could not be written .* continues"):
        choice = choose(Checkpoint(folder, every=1), callbacks=(unplug,))
    assert_same(choice, undisturbed)
    assert not folder.exists()


def test_a_folder_that_comes_back_is_written_to_again(tmp_path, undisturbed):
    folder = tmp_path / "unplugged"

    def unplug(report):
        if report.phase == "selecting" and report.epoch == 3:
            shutil.rmtree(folder)
        if report.phase == "selecting" and report.epoch == 5:
            folder.mkdir()

    with pytest.warns(TrainingWarning) as caught:
        choose(Checkpoint(folder, every=1), callbacks=(unplug,))
    assert [str(w.message).partition(" could")[0] for w in caught] == [
        "The checkpoint after epoch 4",
        "The checkpoint after epoch 5",
    ]
    assert_same(choose(Checkpoint(folder, resume=True), cut_at=1), undisturbed)


def test_a_folder_that_is_not_writable_raises_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Cannot write checkpoints"):
        choose(Checkpoint(tmp_path / "file" / "below"))


@pytest.mark.slow
def test_a_killed_process_resumes_to_the_same_result(tmp_path, undisturbed):
    """SIGKILL at random moments; IPCAE_KILLS sets how many times."""
    code = (
        "import sys, torch; torch.set_num_threads(1); sys.path[:0] = sys.argv[2:];"
        "from pathlib import Path; from test_checkpoint import choose; "
        "from ipcae.training import Checkpoint; print('ready', flush=True);"
        "choose(Checkpoint(Path(sys.argv[1]), 1, resume=True)); print('done', flush=True)"
    )
    moments = random.Random(0)
    for kill in range(int(os.environ.get("IPCAE_KILLS", "3"))):
        folder = tmp_path / str(kill)
        paths = [Path(__file__).parents[level] for level in (0, 3)]
        command = [sys.executable, "-c", code, *map(str, (folder, *paths))]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"ready\n"
        time.sleep(moments.uniform(0, 0.4))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert_same(choose(Checkpoint(folder, 1, resume=True)), undisturbed)
