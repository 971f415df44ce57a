"""Help and usage errors do not wait for PyTorch and scikit-learn."""

import subprocess
import sys

import pytest

import ipcae
from ipcae.cli.commands.names import METHOD_NAMES, TASK_NAMES
from ipcae.estimators import SELECTORS
from ipcae.selectors import METHODS


def test_help_names_every_task_and_method():
    assert tuple(SELECTORS) == TASK_NAMES
    assert tuple(METHODS) == METHOD_NAMES


def test_help_and_usage_errors_import_neither_pytorch_nor_scikit_learn():
    code = (
        "import sys\n"
        "from ipcae.cli.app import run\n"
        "codes = [run(['select', '--help']), run(['--version']), run(['select', '--task', 'no'])]\n"
        "heavy = {'torch', 'sklearn', 'pandas', 'scipy', 'numpy'} & set(sys.modules)\n"
        "print(codes, heavy)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[0, 0, 2] set()"


def test_every_public_name_can_be_imported_and_others_not():
    assert all(hasattr(ipcae, name) for name in ipcae.__all__)
    assert set(ipcae.__all__) <= set(dir(ipcae))
    assert ipcae.sources.open_source.__module__ == "ipcae.sources.opening"
    with pytest.raises(AttributeError, match="no attribute 'Concret'"):
        _ = ipcae.Concret
