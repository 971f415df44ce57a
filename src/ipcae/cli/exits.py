"""Exit codes, and errors as one-line messages on standard error."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from functools import wraps
from typing import NoReturn, ParamSpec

import typer

from ipcae.errors import InputError, LostProcessError
from ipcae.text import printable

OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

_Options = ParamSpec("_Options")


def with_exit_code(work: Callable[_Options, int]) -> Callable[_Options, NoReturn]:
    """Let a command exit with the code that it returns, or with that of its error."""

    @wraps(work)
    def command(*args: _Options.args, **options: _Options.kwargs) -> NoReturn:
        raise typer.Exit(exit_code(lambda: work(*args, **options)))

    return command


def exit_code(work: Callable[[], int]) -> int:
    """Call a function and return its exit code; if it raises an error, print it.

    >>> exit_code(lambda: OK)
    0
    """
    try:
        code = work()
        sys.stdout.flush()
        return code
    except InputError as error:
        from ipcae.cli.messages import of_a_table

        return print_error(of_a_table(str(error)), BAD_INPUT)
    except LostProcessError as error:
        return print_error(str(error), FAILED)
    except ModuleNotFoundError as error:
        advice = "" if "pip install" in str(error) else ": pip install 'ipcae[cli]'"
        return print_error(f"{error}{advice}", BAD_INPUT)
    except BrokenPipeError:
        # The reader closed the pipe. Python flushes standard output once more at exit; without
        # this it would print a second error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        return print_error(f"{error.strerror or error}{place}.", FAILED)
    except KeyboardInterrupt:
        return print_error("interrupted; nothing was written.", INTERRUPTED)
    except Exception as error:
        if _is_out_of_memory(error):
            return print_error(
                "out of memory: use fewer --runs, fewer columns, or another --device.", FAILED
            )
        traceback.print_exc()
        return print_error("this is a bug in ipcae: please report it with the traceback.", FAILED)


def print_error(message: str, code: int) -> int:
    """Print an error message and return the exit code."""
    print(f"error: {printable(message)}", file=sys.stderr, flush=True)
    return code


def _is_out_of_memory(error: Exception) -> bool:
    import torch

    return isinstance(error, MemoryError | torch.OutOfMemoryError) or (
        isinstance(error, RuntimeError) and "can't allocate memory" in str(error)
    )
