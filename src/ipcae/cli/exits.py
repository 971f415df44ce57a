"""What can go wrong, as a sentence on standard error and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable

from ipcae.errors import InputError
from ipcae.text import printable

OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def exit_code(work: Callable[[], int]) -> int:
    """Do the work and return its exit code, or that of what went wrong.

    >>> exit_code(lambda: OK)
    0
    """
    try:
        code = work()
        sys.stdout.flush()
        return code
    except InputError as error:
        return report(str(error), BAD_INPUT)
    except ModuleNotFoundError as error:
        advice = "" if "pip install" in str(error) else ": pip install 'ipcae[cli]'"
        return report(f"{error}{advice}", BAD_INPUT)
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain again when it closes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        return report(f"{error.strerror or error}{place}.", FAILED)
    except KeyboardInterrupt:
        return report("interrupted; nothing was written.", INTERRUPTED)
    except Exception as error:
        if _lacks_memory(error):
            return report(
                "the memory is not enough: try fewer --runs, fewer columns, or another --device.",
                FAILED,
            )
        traceback.print_exc()
        return report("this is a bug in ipcae: please report it with the lines above.", FAILED)


def report(sentence: str, code: int) -> int:
    """Print an error and return the exit code that goes with it."""
    print(f"error: {printable(sentence)}", file=sys.stderr, flush=True)
    return code


def _lacks_memory(error: Exception) -> bool:
    import torch

    return isinstance(error, MemoryError | torch.OutOfMemoryError) or (
        isinstance(error, RuntimeError) and "can't allocate memory" in str(error)
    )
