"""Two commands with the same folder: the second is rejected."""

import pytest

from ipcae.cli.outputs.results import RESULT_FILES


@pytest.fixture
def training(start, numbers, tmp_path):
    """Start a selection that takes long, and wait until it trains."""
    table = tmp_path / "long.csv"
    numbers.to_csv(table, index=False)
    folders = ("--out", tmp_path / "out", "--checkpoint", tmp_path / "checkpoint")
    process = start("select", table, "-k", 3, *folders, "--epochs", 50_000, "--method", "ip-cae")
    assert process.stdout.readline()
    while not (tmp_path / "checkpoint" / "selecting.checkpoint").exists():
        assert process.poll() is None
    yield process
    process.kill()
    process.communicate()


def test_one_folder_has_one_writer(training, select, numbers, tmp_path):
    for folder, arguments in (
        ("out", ()),
        ("out", ("--force",)),
        (
            "checkpoint",
            ("--out", tmp_path / "other", "--checkpoint", tmp_path / "checkpoint", "--resume"),
        ),
    ):
        outcome = select(numbers, *arguments)
        assert outcome.code == 2
        sentence = f"error: another ipcae process is writing to {tmp_path / folder}:"
        assert sentence in outcome.err
    assert not any((tmp_path / "out" / name).exists() for name in RESULT_FILES)


def test_a_killed_command_leaves_its_folder_to_others(training, select, numbers, tmp_path):
    training.kill()
    training.wait()
    assert select(numbers, "-q").code == 0
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == sorted(RESULT_FILES)
