"""The how-to page about several processes runs: on one process, on dask and on ray."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_validate

from tests.distributed.conftest import TIME_LIMIT, environment
from tests.pages import python_blocks

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "many-processes.md"
TORCHRUN, DASK, RAY = python_blocks(PAGE.read_text(encoding="utf-8"))
DEFINITIONS = DASK.partition("\nif __name__")[0]
WORKER_NUMBER = "from ipcae.devices import worker_number\n"
ASK_WORKERS = """
    places = client.scheduler_info()["workers"]
    asked = [client.submit(worker_number, workers=[place], pure=False) for place in places]
    numbers = sorted(client.gather(asked))
"""
AFTER_DASK = """
    import json
    table = {name: search.cv_results_[name].tolist() for name in TABLE}
    json.dump({"scores": scores.tolist(), "search": table, "workers": numbers}, open("found", "w"))
"""
TABLE = ["mean_test_score", "rank_test_score"]


def run(program, folder):
    (folder / "program.py").write_text(program)
    finished = subprocess.run(
        [sys.executable, "program.py"],
        cwd=folder,
        env=environment(RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIME_LIMIT,
    )
    assert finished.returncode == 0, finished.stdout
    return json.loads((folder / "found").read_text())


@pytest.fixture(scope="module")
def alone():
    """The objects of the page, and the scores of a single process."""
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "dask.distributed", type(sys)("dask.distributed"))
        patch.setattr(sys.modules["dask.distributed"], "Client", None, raising=False)
        exec(compile(DEFINITIONS, PAGE.name, "exec"), names)
    X, y = load_wine(return_X_y=True)
    names["scores"] = cross_validate(names["choice"], X, y, cv=3)["test_score"].tolist()
    return names


def test_the_program_of_the_page_runs_without_torchrun(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(TORCHRUN, PAGE.name, "exec"), {})
    assert (tmp_path / "wine.safetensors").exists()
    assert len(capsys.readouterr().out.strip("[] \n").split()) == 5


def test_dask_gives_the_scores_of_a_single_process(alone, tmp_path):
    pytest.importorskip("distributed", reason="needs dask.distributed")
    program = WORKER_NUMBER + DASK.replace(
        "    client.close()\n", ASK_WORKERS + "    client.close()\n"
    )
    found = run(f"{program}{AFTER_DASK.replace('TABLE', repr(TABLE))}", tmp_path)
    assert found["scores"] == alone["scores"]
    assert found["workers"] == [0, 1]
    search = alone["search"].fit(*load_wine(return_X_y=True))
    assert found["search"] == {name: search.cv_results_[name].tolist() for name in TABLE}


def test_ray_gives_the_scores_of_a_single_process(alone, tmp_path):
    pytest.importorskip("ray")
    local = "    import ray, json\n    ray.init(num_cpus=2, include_dashboard=False)\n"
    program = DEFINITIONS.replace("from dask.distributed import Client\n", "") + RAY.replace(
        "    register_ray()\n", local + "    register_ray()\n"
    )
    found = run(program + "    json.dump(scores.tolist(), open('found', 'w'))\n", tmp_path)
    assert found == alone["scores"]
