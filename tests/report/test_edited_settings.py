"""``ipcae report`` with an edited settings.json: every error is a one-sentence message."""

import json

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.app import run

NEEDED = [
    *(("arguments",), ("table",), ("warnings",), ("target",), ("task",)),
    *(("table", key) for key in ("path", "sha256")),
    *(
        ("arguments", key)
        for key in ("grid", "drop", "missing", "n_features", "test_fraction", "seed")
    ),
]
WRONG = [
    *(None, True, 0, -1, 1.5, 10**40, "text", "", [], [1], [[1]], {}, {"a": {"b": 1}}),
    *([2, 3, 4], ["a", 1], "a\0b"),
]


@pytest.fixture(scope="module")
def panel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("panel")
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 6)), columns=list("abcdef"))
    table.to_csv(folder / "table.csv", index=False)
    command = f"select {folder}/table.csv --target f -k 3 --epochs 2 --runs 1 -q --out {folder}/out"
    assert run(command.split()) == 0
    return folder / "out"


@pytest.fixture
def report(panel, capsys, monkeypatch):
    """Write the report with other settings, without drawing it; return the code and the errors."""
    before = (panel / "settings.json").read_text()
    monkeypatch.setattr("ipcae.cli.outputs.report.report_html", lambda *_, **__: "")

    def call(text):
        (panel / "settings.json").write_text(text)
        code = run(["report", str(panel)])
        return code, capsys.readouterr().err

    yield call
    (panel / "settings.json").write_text(before)


def edited(panel, keys, *value):
    """Return the settings without a key, or with another value for it."""
    settings = json.loads((panel / "settings.json").read_text())
    place = settings
    for key in keys[:-1]:
        place = place[key]
    if value:
        place[keys[-1]] = value[0]
    else:
        del place[keys[-1]]
    return json.dumps(settings)


@pytest.mark.parametrize("keys", NEEDED, ids=".".join)
def test_a_missing_key_is_named(panel, report, keys):
    code, err = report(edited(panel, keys))
    assert code == 2
    assert f"is damaged ({'.'.join(keys)} is missing)" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("keys", NEEDED, ids=".".join)
def test_a_wrong_value_never_gives_a_traceback(panel, report, keys):
    codes = []
    for text in [edited(panel, keys, value) for value in WRONG]:
        code, err = report(text)
        assert "Traceback" not in err
        codes.append(code)
    assert set(codes) <= {0, 2}
    assert codes.count(2) >= len(WRONG) // 2


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "5", "[" * 100_000, '{"a": 1' + "0" * 5000 + "}"]
)
def test_other_content_is_refused(panel, report, text):
    code, err = report(text)
    assert code == 2
    assert "settings.json is damaged" in err


def test_a_model_of_other_columns_does_without_the_rows(panel, report):
    code, err = report(edited(panel, ("arguments", "drop"), ["a"]))
    assert code == 0
    assert "was made for another task or other columns" in err
    code, err = report(edited(panel, ("task",), "reconstruction").replace('"f"', "null"))
    assert code == 0
    assert "was made for another task or other columns" in err
