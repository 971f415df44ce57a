"""--checkpoint and --resume: a killed command resumes where it stopped."""

import signal
import time

FILES = ("selected.txt", "ranking.csv", "history.csv")


def contents(folder):
    return [(folder / name).read_text() for name in FILES]


def test_a_killed_command_is_resumed_to_the_same_result(start, ipcae, numbers, tmp_path):
    table, folder = tmp_path / "table.csv", tmp_path / "checkpoint"
    numbers.to_csv(table, index=False)
    common = ("select", table, "-k", 3, "--runs", 2, "--epochs", 60, "--method", "ip-cae")
    common += ("--no-verdict",)
    process = start(*common, "--out", tmp_path / "killed", "--checkpoint", folder, "--quiet")
    while not (folder / "selecting.checkpoint").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    resumed, whole = tmp_path / "resumed", tmp_path / "whole"
    again = (*common, "--out", resumed, "--checkpoint", folder)
    refused = ipcae(*again)
    assert refused.code == 2
    assert "--resume" in refused.err
    assert ipcae(*again, "--resume").code == 0
    assert ipcae(*common, "--out", whole).code == 0
    assert contents(resumed) == contents(whole)


def test_resume_needs_a_folder(select, numbers):
    outcome = select(numbers, "--resume")
    assert outcome.code == 2
    assert "--resume needs --checkpoint DIR" in outcome.err


def test_an_interrupted_command_says_how_to_resume_it(start, ipcae, numbers, tmp_path):
    table, folder, out = tmp_path / "table.csv", tmp_path / "checkpoint", tmp_path / "out"
    numbers.to_csv(table, index=False)
    common = ("select", table, "-k", 3, "--runs", 2, "--epochs", 400, "--method", "ip-cae")
    common += ("--no-verdict", "--out", out, "--checkpoint", folder)
    process = start(*common)
    while not (folder / "selecting.checkpoint").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate()
    assert process.returncode == 130
    assert "repeat the command with --resume --force to continue it." in " ".join(printed.split())
    assert ipcae(*common, "--resume", "--force").code == 0
