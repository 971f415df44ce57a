"""The code and the commands of a page of the documentation."""

import re
import shlex


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
