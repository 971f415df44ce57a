"""The command line: ``ipcae select``, ``predict``, ``evaluate``, ``report``, ``demo``, ``data``.

In reading order: ``app`` registers the commands of ``commands``, whose options ``options`` checks;
``early_checks`` finds a mistyped file or column before PyTorch is imported.

``select`` reads a table (``inputs``), plans an ``experiment`` on rows that ``splitting`` divides,
runs it (``experiment_result``), and writes the results (``outputs``). ``counts`` is about ``-k
auto``, ``subsamples`` about ``--stability`` and ``--fdr``, ``live`` about ``--live``, and
``together`` about several processes. ``demo`` does the same for images, with ``demo_plot``.

``predict``, ``evaluate`` (of a ``feature_list``) and ``data`` are the other commands. All of them
print ``messages`` and ``tables``, write ``names`` of columns, and end with an exit code
(``exits``).
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

__all__ = ["main"]

_OBJECTS = 100_000
"""New objects between two searches for garbage.

By default, there are so many searches that a command on a small table, most of which is imports,
spends a tenth of its time on them.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its exit code.

    Parameters
    ----------
    arguments : sequence of str, default=sys.argv[1:]
    """
    try:
        import typer  # noqa: F401
    except ModuleNotFoundError:
        print("error: the command line needs typer: pip install 'ipcae[cli]'", file=sys.stderr)
        sys.exit(2)
    gc.set_threshold(_OBJECTS)
    from ipcae.cli.app import run

    # Replace characters that the terminal's encoding does not have, instead of failing.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))
