"""A process is killed: the others stop with an error message, and training can be resumed."""

import pickle

import numpy as np

from tests.distributed.fits import CLASSES, X, classifier, result

PROGRAM = ("-m", "tests.distributed.dying")


def require_sentence(output):
    assert "process 0 of 2 ends" in output
    assert "because another process of this training has ended" in output
    assert "start again with --resume" in output


def test_spread_runs_resume_after_a_process_was_killed(torchrun, on_two, tmp_path):
    code, output = torchrun(*PROGRAM, tmp_path, "runs")
    assert code != 0
    require_sentence(output)
    assert not (tmp_path / "result").exists()

    for code, output in on_two(*PROGRAM, tmp_path, "runs", "resume"):
        assert code == 0, output
    resumed = pickle.loads((tmp_path / "result").read_bytes())
    alone = result(classifier(n_runs=2, max_epochs=40).fit(X, CLASSES))
    np.testing.assert_equal(resumed, alone)


def test_spread_rows_resume_in_any_number_of_processes(on_two, tmp_path):
    (first, output), (second, _) = on_two(*PROGRAM, tmp_path, "rows")
    assert (first, second) == (1, -9)
    require_sentence(output)

    selector = classifier(n_runs=2, max_epochs=40, checkpoint=tmp_path / "checkpoint", resume=True)
    epochs = []
    selector.set_params(callbacks=lambda report: epochs.append(report.epoch)).fit(X, CLASSES)
    assert epochs[0] == 20  # the first epoch after the last checkpoint
    alone = classifier(n_runs=2, max_epochs=40).fit(X, CLASSES)
    np.testing.assert_array_equal(selector.get_support(), alone.get_support())
    np.testing.assert_allclose(selector.validation_loss_, alone.validation_loss_, rtol=1e-3)
