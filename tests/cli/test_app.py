"""The command line as a whole: help, usage errors and exit codes."""

import gc
import re
import subprocess
import sys

import pytest

from ipcae import __version__
from ipcae.cli import main
from ipcae.cli.commands.command_types import SECTIONS
from ipcae.cli.exits import exit_code


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


def test_without_extras_the_library_imports_and_the_command_says_what_to_install():
    # Other packages may import what they find, so it must not be found.
    hidden = ["typer", "rich", "pandas", "matplotlib", "pyarrow", "pooch"]
    hide = f"import sys; sys.modules.update(dict.fromkeys({hidden}))"
    done = python(f"{hide}; import ipcae; from ipcae.cli import main; main()")
    assert done.returncode == 2, done.stderr
    assert done.stderr == "error: the command line needs typer: pip install 'ipcae[cli]'\n"


def test_main_exits_with_the_code(capsys, monkeypatch):
    monkeypatch.setattr(gc, "set_threshold", lambda objects: None)
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"ipcae {__version__}\n"


def test_a_command_rarely_searches_for_garbage(monkeypatch):
    thresholds = []
    monkeypatch.setattr(gc, "set_threshold", thresholds.append)
    with pytest.raises(SystemExit):
        main(["--version"])
    assert thresholds == [100_000]


def test_help_names_the_commands_and_the_exit_codes(ipcae):
    code, out, _ = ipcae("--help")
    assert code == 0
    assert all(word in out for word in ("select", "demo", "data", "130"))
    code, out, _ = ipcae("select", "--help")
    assert code == 0
    options = ["-k", "--target", "--method", "--runs", "--out", "--quiet", "--force", "--drop"]
    assert [option for option in options if option not in out] == []
    assert "Exit codes: 0 success; 1 failure; 2 invalid input" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_help_of_select_has_every_option_in_one_section(ipcae):
    _, out, _ = ipcae("select", "--help")
    arguments, *sections = re.split(r"^(?=[A-Z][^\n]*:$)", out, flags=re.MULTILINE)[1:]
    assert [section.split(":\n")[0] for section in sections] == list(SECTIONS)
    assert arguments.count("\n  ") == arguments.count("\n   ") + 1  # only the table
    assert len(re.findall(r"^  --?\w", out, flags=re.MULTILINE)) == len(
        " ".join(SECTIONS.values()).split()
    )


def test_no_command_shows_the_help_and_fails(ipcae):
    code, out, err = ipcae()
    assert (code, out) == (2, "")
    assert "Usage: ipcae" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sellect"], "No such command 'sellect'"),
        (["select"], "Missing argument"),
        (["select", "x.csv", "-k", "3", "--out", "o", "--runs", "few"], "--runs"),
        (["select", "x.csv", "-k", "3", "--out", "o", "--task", "sorting"], "--task"),
        (["select", "x.csv", "--target", "a", "--target", "b"], "--target: expected one column"),
        (
            ["evaluate", "x.csv", "--groups", "a", "--groups", "b"],
            "--groups: expected one column",
        ),
        (["data"], "Missing command"),
    ],
)
def test_usage_errors_are_one_sentence(ipcae, arguments, says):
    code, out, err = ipcae(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert says in err
    assert "--help" in err


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (KeyboardInterrupt(), 130, "error: interrupted"),
        (MemoryError(), 1, "error: out of memory: use fewer --runs"),
        (OSError(28, "No space left on device", "out/x.png"), 1, "(out/x.png)"),
        (ModuleNotFoundError("No module named 'pandas'"), 2, "pip install 'ipcae[cli]'"),
        (TypeError("oh"), 1, "error: this is a bug in ipcae"),
    ],
)
def test_what_goes_wrong_gets_its_code(capsys, error, code, says):
    def work() -> int:
        raise error

    assert exit_code(work) == code
    err = capsys.readouterr().err
    assert says in err
    assert ("Traceback" in err) == isinstance(error, TypeError)
