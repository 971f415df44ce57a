"""A folder has one writer at a time."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ipcae import InputError
from ipcae.filesystem import locks

HOLDER = """
import sys
from pathlib import Path
from ipcae.filesystem.locks import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """Return another process that holds the folder; it ends with its standard input."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def hold(folder: Path) -> None:
    with locks.locked(folder):
        pass


def test_a_second_process_is_refused(holder, tmp_path):
    with pytest.raises(InputError, match=r"another ipcae process is writing to .* choose"):
        hold(tmp_path)
    holder.stdin.close()
    assert holder.wait(30) == 0
    hold(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(locks.fcntl is None, reason="needs locks of the system")
def test_a_killed_process_holds_nothing(holder, tmp_path):
    holder.send_signal(signal.SIGKILL)
    holder.wait(30)
    assert (tmp_path / locks.NAME).exists()
    hold(tmp_path)


def test_one_process_holds_a_folder_several_times(tmp_path):
    with locks.locked(tmp_path):
        hold(tmp_path)
        assert (tmp_path / locks.NAME).exists()
    assert list(tmp_path.iterdir()) == []


def test_without_locks_of_the_system_the_file_is_the_lock(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "fcntl", None)
    with locks.locked(tmp_path):
        monkeypatch.setattr(locks, "_held", {})
        with pytest.raises(InputError, match=r"delete .*\.ipcae\.lock"):
            hold(tmp_path)
        monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_to(tmp_path):
    with pytest.raises(InputError, match="cannot write to"):
        hold(tmp_path / "missing")
