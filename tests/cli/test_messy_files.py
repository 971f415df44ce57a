"""Tables as other programs write them: separators, encodings, row names and identifiers."""

import json

import pandas as pd
import pytest

from ipcae.cli.columns import columns_matching
from ipcae.errors import InputError


@pytest.fixture
def patients(frame):
    names = [f"P{row:02}" for row in range(60)]
    return frame.rename(columns={"a": "Größe"}).assign(patient=names)


def test_a_german_export_is_read_at_once(select, ipcae, patients, tmp_path):
    path = tmp_path / "patients.csv"
    patients.to_csv(path, sep=";", decimal=",", encoding="cp1252", index=False)
    outcome = select(path, "--target", "label", "--id", "patient")
    assert outcome.code == 0
    said = "Read patients.csv as cp1252 text, separated by a semicolon, with decimal commas.\n"
    assert said in outcome.out
    settings = json.loads((tmp_path / "out/settings.json").read_text())
    assert settings["table"]["columns"] == 7
    model = tmp_path / "out/model.safetensors"
    predicted = ipcae("predict", model, path, "--id", "patient", "--proba").out
    lines = predicted.splitlines()
    assert lines[0] == "patient,prediction,probability_sick,probability_well"
    assert [line.partition(",")[0] for line in lines[1:]] == patients["patient"].tolist()
    assert ipcae("report", tmp_path / "out").err == ""


def test_a_format_can_be_given(select, ipcae, numbers, tmp_path):
    path = tmp_path / "t.txt"
    numbers.to_csv(path, sep=":", decimal=",", encoding="utf-16", index=False)
    given = ("--sep", ":", "--decimal", ",", "--encoding", "utf-16")
    assert select(path, *given, "-q").code == 0
    model = tmp_path / "out/model.safetensors"
    assert ipcae("predict", model, path, *given).code == 0
    assert ipcae("report", tmp_path / "out").err == ""


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--sep", "--"], "--sep '--' is not understood: expected one character"),
        (["--decimal", "x"], "--decimal 'x' is not understood: expected '.' or ','"),
        (["--encoding", "utf-9"], "--encoding 'utf-9' is unknown"),
        (["--sep", ",", "--decimal", ","], "--sep and --decimal are both ','"),
        (["--id", "patent"], 'has no column "patent" (--id): did you mean "patient"?'),
        (["--target", "label", "--id", "label"], "it cannot be an --id as well"),
    ],
)
def test_bad_options_are_refused(select, patients, given, says):
    outcome = select(patients, *given)
    assert outcome.code == 2
    assert says in outcome.err


def test_patterns_drop_several_columns(select, patients, tmp_path):
    assert select(patients, "--target", "label", "--drop", "^(p|[ef]$)", "-q").code == 0
    settings = json.loads((tmp_path / "out/settings.json").read_text())
    assert settings["table"]["columns"] == 4


def test_a_pattern_is_a_name_first_and_must_match():
    names = ["a.b", "a+b", "axb", "label"]
    assert columns_matching(["a.b"], names, "t.csv", "--drop") == ["a.b"]
    assert columns_matching(["a.b$"], names, "t.csv", "--drop") == ["a.b", "a+b", "axb"]
    assert columns_matching([".*"], names, "t.csv", "--drop", but="label") == names[:3]
    for nothing in ("^z", "a(", "lab"):
        with pytest.raises(InputError, match="has no column"):
            columns_matching([nothing], names, "t.csv", "--drop")


def test_predictions_carry_several_identifiers(select, ipcae, patients, tmp_path):
    assert select(patients, "--target", "label", "--id", "patient", "-q").code == 0
    rows = tmp_path / "new.csv"
    patients.assign(visit=range(60))[::-1].to_csv(rows, index=False)
    out = tmp_path / "p.csv"
    model = tmp_path / "out/model.safetensors"
    command = ("predict", model, rows, "--id", "visit", "--id", "patient", "--out", out)
    assert ipcae(*command).code == 0
    written = pd.read_csv(out)
    assert list(written) == ["visit", "patient", "prediction"]
    assert written["visit"].tolist() == list(range(60))[::-1]
