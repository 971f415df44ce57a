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


MISTAKES = {
    "tabel.csv --target y -k 1": "did you mean table.csv?",
    "table.csv --target z -k 1": 'has no column "z" (--target)',
    "table.csv --target y --drop bee -k 1": 'no column "bee" (--drop)',
    "table.csv --target y -k 3": "-k 3 is more than the 2 columns",
    "table.csv --target y -k 1 --epochs 0": "--epochs 0 is too small",
}


def test_mistyped_files_and_columns_do_not_wait_for_pytorch_either(tmp_path):
    (tmp_path / "table.csv").write_text("a,b,y\n1,2,0\n")
    lines = [f"select {line}" for line in MISTAKES]
    lines += ["evaluate table.csv --features list.txt --target z", "predict no.safetensors a.csv"]
    lines += ["evaluate table.csv --features no.txt --target y", "report ."]
    code = (
        "import sys\n"
        "from ipcae.cli.app import run\n"
        f"codes = [run(line.split()) for line in {lines}]\n"
        "print(codes, {'torch', 'sklearn', 'pandas', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.splitlines()[-1] == f"{[2] * len(lines)} set()"
    for line, expected in zip(done.stderr.splitlines(), MISTAKES.values(), strict=False):
        assert expected in line


def test_every_public_name_can_be_imported_and_others_not():
    assert all(hasattr(ipcae, name) for name in ipcae.__all__)
    assert set(ipcae.__all__) <= set(dir(ipcae))
    assert ipcae.sources.open_source.__module__ == "ipcae.sources.opening"
    with pytest.raises(AttributeError, match="no attribute 'Concret'"):
        _ = ipcae.Concret
