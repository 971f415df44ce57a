"""Writing whole files: links, permissions, and what is not a file."""

import os
import socket
import stat

import pytest

from ipcae import InputError
from ipcae.filesystem.atomic import write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files")


@posix
def test_a_link_stays_and_its_target_is_written(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["elsewhere", "link.txt"]


@posix
def test_a_link_to_nothing_makes_its_target(tmp_path):
    (tmp_path / "link.txt").symlink_to("target.txt")
    write_whole(tmp_path / "link.txt", b"new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "target.txt").read_bytes() == b"new"


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_permissions_stay(tmp_path, mode):
    path = tmp_path / "private.txt"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual.txt").write_text("")
    write_whole(tmp_path / "new.txt", b"")
    modes = {(tmp_path / name).stat().st_mode for name in ("usual.txt", "new.txt")}
    assert len(modes) == 1


@posix
def test_pipes_sockets_and_folders_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        kinds = {"pipe": "a pipe", "link": "a pipe", "folder": "a folder", "socket": "a socket"}
        for name, kind in kinds.items():
            with pytest.raises(InputError, match=f"{name} is {kind}: expected"):
                write_whole(tmp_path / name, b"new")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert len(list(tmp_path.iterdir())) == 4


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(InputError, match="cannot be written: there is no folder"):
        write_whole(tmp_path / "missing" / "file.txt", b"")
