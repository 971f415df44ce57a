"""What ``import ipcae`` needs."""

import subprocess
import sys

OPTIONAL = (
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "typer",
    "rich",
    "pooch",
    "h5py",
    "xlrd",
    "unlzw3",
    "safetensors",
    "onnx",
    "onnxruntime",
    "triton",
)


def test_the_library_needs_numpy_scipy_torch_and_scikit_learn_alone():
    """A selector is fitted in a process in which nothing else can be imported."""
    code = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {OPTIONAL!r}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Absent())
import numpy as np
import ipcae, ipcae.nn, ipcae.data, ipcae.export, ipcae.report
rows = np.random.default_rng(0).normal(size=(60, 5))
selector = ipcae.ClassificationSelector(2, max_epochs=3, random_state=0)
print(selector.fit(rows, rows[:, 0] > 0).get_support().sum())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "2"


def test_importing_the_library_and_training_on_the_cpu_leave_triton_alone():
    code = """
import sys
import numpy as np
import ipcae, ipcae.nn, ipcae.training, ipcae.ops
rows = np.random.default_rng(0).normal(size=(60, 5))
ipcae.ReconstructionSelector(2, max_epochs=3, random_state=0).fit(rows)
print("triton" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "False", done.stderr


def test_an_extra_that_is_missing_is_named():
    code = """
import sys
sys.modules["safetensors"] = sys.modules["safetensors.torch"] = None
import numpy as np
import ipcae
rows = np.random.default_rng(0).normal(size=(60, 5))
selector = ipcae.ReconstructionSelector(2, max_epochs=3, random_state=0).fit(rows)
selector.save("never.safetensors")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'ipcae[files]'" in done.stderr
