"""The code and the commands of a page of the documentation."""

import re
import shlex
from pathlib import Path

HOW_TO = Path(__file__).resolve().parents[1] / "docs" / "how-to"


def run_page(path, run_command=None):
    """Run the code of a page in order, and return the names that it defines.

    Its commands are run as well if a function is given, which is called with their words.
    """
    names = {"__name__": path.stem}
    for kind, block in blocks_of(path.read_text(encoding="utf-8")):
        if kind == "python":
            exec(compile(block, path.name, "exec"), names)
        elif run_command is not None:
            for command in commands_of(block):
                run_command(command)
    return names


def run_in_process(command):
    """Run a command of ipcae, which must succeed; ``ipcae`` itself is the first word."""
    from ipcae.cli.app import run

    assert run(command[1:]) == 0


def blocks_of(text):
    """Return the kind, "python" or "console", and the content of every block of code."""
    return re.findall(r"^```(python|console)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def python_blocks(text):
    """Return the Python code of every block."""
    return [block for kind, block in blocks_of(text) if kind == "python"]


def commands_of(block):
    """Return the words of every command, which a backslash continues on the next line."""
    lines = block.replace("\\\n", " ").splitlines()
    return [shlex.split(line.removeprefix("$ ")) for line in lines]
