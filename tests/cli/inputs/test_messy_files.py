"""Tables as other programs write them: separators, encodings, row names and identifiers."""

import json

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.inputs.finding_columns import column_named, columns_to_drop
from ipcae.cli.inputs.target_column import warn_of_unknown_classes
from ipcae.cli.messages import Messages
from ipcae.data import read_table
from ipcae.data.lines_below_names import lines_below_names
from ipcae.errors import InputError
from ipcae.tables.dependence.group_columns import column_of_groups


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


@pytest.mark.parametrize("written", ["Qualita\u0308t", "Qualität\u00a0", "Qualität"])
def test_a_name_is_found_as_it_looks(written):
    names = ["a", written]
    assert column_named("Qualität", names, "t.csv", "--target") == written
    with pytest.raises(InputError, match="did you mean"):
        column_named("qualität", names, "t.csv", "--target")
    with pytest.raises(InputError, match="did you mean"):
        column_named("Qualität", ["Qualität ", "Qualität\u00a0"], "t.csv", "--target")


def test_a_pattern_is_a_name_first_and_must_match():
    names = ["a.b", "a+b", "axb", "label"]
    assert columns_to_drop(["a.b"], names, "t.csv", None) == ["a.b"]
    assert columns_to_drop(["a.b$"], names, "t.csv", None) == ["a.b", "a+b", "axb"]
    assert columns_to_drop([".*"], names, "t.csv", "label") == names[:3]
    for nothing in ("^z", "a(", "lab"):
        with pytest.raises(InputError, match="has no column"):
            columns_to_drop([nothing], names, "t.csv", None)


def test_codes_for_missing_values_are_named_and_read_as_missing(select, ipcae, frame, tmp_path):
    table = frame.drop(columns="price").assign(c=frame.label.where(frame.index % 9 > 0, "refused"))
    table = table.assign(a=table.a.where(table.index % 7 > 0, -999.0)).rename(columns={"c": "job"})
    outcome = select(table, "--target", "label")
    path = tmp_path / "table.csv"
    assert (
        "(a: 9 times -999): if they do, use --missing-value -999 --missing impute." in outcome.err
    )
    given = ("--missing-value", "-999", "--missing-value", "refused", "--missing-value", "-5")
    outcome = select(path, "--target", "label", "--force", "--missing", "impute", *given)
    assert outcome.code == 0
    assert f"warning: no column of {path} has --missing-value -5." in outcome.err
    assert "stand for" not in outcome.err
    columns = json.loads((tmp_path / "out/settings.json").read_text())["columns"]
    assert {row["name"]: row["missing"] for row in columns} == {"a": 9, "job": 7}
    model = tmp_path / "out/model.safetensors"
    assert ipcae("predict", model, path, *given[:4]).err == ""
    assert ipcae("report", tmp_path / "out").err == ""


def test_a_code_for_missing_values_stays_a_number_between_others(select, ipcae, frame, tmp_path):
    mood = (frame.a > 0) + 2 * (frame.index % 2)
    table = pd.DataFrame(
        {
            "record_id": range(60, 120),
            "mood": mood.where(frame.index % 9 > 0, 99),
            "weight": 110 + 20 * frame.b.round(1),
            "label": frame.label,
        }
    )
    table.loc[3, "weight"] = 99
    given = ("--target", "label", "--missing-value", "99", "--missing", "impute", "-k", "2")
    outcome = select(table, *given)
    assert outcome.code == 0
    kept = "--missing-value 99 is not applied to record_id, weight: other values there are both"
    assert kept in outcome.out
    columns = json.loads((tmp_path / "out/settings.json").read_text())["columns"]
    assert {row["name"]: row["missing"] for row in columns} == {"record_id": 0, "mood": 7}

    def predicted(weight):
        (tmp_path / "new.csv").write_text(f"mood,weight\n1,{weight}\n")
        return ipcae("predict", tmp_path / "out", tmp_path / "new.csv", "--proba").out

    assert predicted(99) != predicted("")


def test_repeated_rows_and_levels_in_two_cases_are_named(select, frame):
    table = frame.drop(columns="price").assign(f=["Y", "n", "y", "N"] * 15)
    outcome = select(pd.concat([table, table[:20]]), "--target", "label")
    assert outcome.code == 0
    assert (
        "warning: 20 of 80 rows repeat an earlier row: held-out rows may be copies" in outcome.err
    )
    assert 'levels of "f" differ only in upper and lower case: "N" and "n", "Y" and' in outcome.err


@pytest.mark.parametrize("options", [(), ("--drop", "plate")])
def test_a_column_that_tells_which_rows_belong_together_is_named(select, frame, options):
    plate = np.arange(len(frame)) // 3
    table = frame[["a", "b", "c"]].assign(plate=plate, label=np.array(["x", "y"])[plate % 2])
    said = 'warning: rows with the same "plate" always have the same target'
    assert said in select(table, "--target", "label", *options).err
    assert said not in select(table, "--target", "label", "--groups", "plate", "--force").err
    table["label"] = np.array(["x", "y"])[np.arange(len(frame)) % 2]
    assert said not in select(table, "--target", "label", *options, "--force").err


def test_another_name_of_a_class_is_not_a_group_of_rows():
    code = np.arange(80) % 8
    assert column_of_groups(pd.DataFrame({"code": code}), np.array(list("abcdefgh"))[code]) is None
    visits = pd.DataFrame({"person": [f"P{i // 4}" for i in range(80)]})
    assert column_of_groups(visits, np.arange(80) // 4 / 3) == "person"
    visits.loc[::9, "person"] = None
    assert column_of_groups(visits, np.arange(80) // 4 / 3) == "person"
    assert column_of_groups(visits, np.zeros(80)) is None


def test_a_far_value_is_one_message_in_select_and_report(select, ipcae, frame, tmp_path):
    table = frame.drop(columns="price")
    table.loc[1, list("abcdef")] = 1e3  # a row that is held out
    outcome = select(table, "--target", "label")
    assert outcome.err.count("values far outside of the range seen in training") == 1
    assert "could not be created" not in outcome.err
    again = ipcae("report", tmp_path / "out")
    assert again.code == 0
    assert again.err.startswith("warning: the table has values far outside")


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


@pytest.fixture
def messy(frame, tmp_path):
    """Return the path of a table with everything that a table can have."""
    rows = range(60)
    table = frame.drop(columns="price").assign(
        patient_id=[10_000 + 7 * row % 61 for row in rows],
        city=["Rome", "Oslo", "Lima"] * 20,
        smoker=[True, False] * 30,
        note=[f"text {row}" for row in rows],
        visit=pd.date_range("2024-01-01", periods=60).strftime("%Y-%m-%d"),
        site="A",
        nothing=None,
        lab=["?", *(f"{row / 7:.2f}" for row in range(59))],
    )
    table.loc[3:9, "a"] = float("nan")
    table.loc[5, "city"] = None
    table.insert(0, "Unnamed: 0", rows)
    table.to_csv(tmp_path / "messy.csv", index=False)
    return tmp_path / "messy.csv"


KINDS = {
    "Unnamed: 0": ("identifier", "left out: only numbers the rows"),
    "patient_id": ("identifier", "left out: all values differ"),
    "a": ("number", "used as it is; missing values are filled with the median and marked"),
    "city": ("category", "3 levels, and missing: Lima, Oslo, Rome"),
    "note": ("identifier", 'left out: all 60 values differ, such as "text 0"'),
    "visit": ("date", 'left out: dates, such as "2024-01-01", are used only if asked for'),
    "site": ("constant", 'always "A"'),
    "nothing": ("empty", "left out: every value is missing"),
    "lab": ("number", "used as it is; missing values are filled with the median and marked"),
}


def test_a_messy_table_works_at_once_and_every_column_is_explained(select, ipcae, messy, tmp_path):
    outcome = select(messy, "--target", "label", "--missing", "impute")
    assert outcome.code == 0
    for name, (kind, use) in KINDS.items():
        line = next(line for line in outcome.out.splitlines() if line.startswith(f" {name}"))
        assert kind in line
        assert line.endswith(use)
    assert "6 other columns   number" in outcome.out
    assert "60 rows, 10 columns to select from" in outcome.out
    settings = json.loads((tmp_path / "out/settings.json").read_text())
    assert {row["name"]: (row["kind"], row["use"]) for row in settings["columns"]} == KINDS
    page = (tmp_path / "out/report.html").read_text()
    assert "category: 3 levels, and missing: Lima, Oslo, Rome" in page
    before = page
    assert ipcae("report", tmp_path / "out").err == ""
    assert (tmp_path / "out/report.html").read_text().count("<svg") == before.count("<svg")
    predicted = ipcae("predict", tmp_path / "out/model.safetensors", messy, "--id", "patient_id")
    assert predicted.code == 0
    assert len(predicted.out.splitlines()) == 61


def test_missing_values_are_refused_dropped_or_filled_in(select, messy, tmp_path):
    refused = select(messy, "--target", "label")
    assert refused.code == 2
    assert "9 missing (NaN) values in 3 of 10 columns (a: 7, city: 1, lab: 1)" in refused.err
    assert "--missing impute" in refused.err
    dropped = select(messy, "--target", "label", "--missing", "drop", "--drop", "a", "-q")
    assert dropped.code == 0
    settings = json.loads((tmp_path / "out/settings.json").read_text())
    assert settings["table"]["rows"] == 58
    assert select(messy, "--missing", "other").err.startswith(
        "error: --missing other is not understood: expected error, impute or drop."
    )


def test_dates_become_numbers_if_asked_for(select, ipcae, messy, tmp_path):
    arguments = ("--target", "label", "--missing", "impute", "--dates", "numbers", "-k", "11")
    outcome = select(messy, *arguments)
    assert "date as number             days since 1970-01-01" in outcome.out
    chosen = (tmp_path / "out/selected.txt").read_text().splitlines()
    assert "visit" in chosen
    assert ipcae("predict", tmp_path / "out/model.safetensors", messy).code == 0


def test_reconstructions_of_a_messy_table_have_all_columns(select, ipcae, messy, tmp_path):
    assert select(messy, "--missing", "impute", "-q").code == 0
    predicted = ipcae("predict", tmp_path / "out/model.safetensors", messy)
    header, first, *_ = predicted.out.splitlines()
    assert header == "a,b,c,d,e,f,label,city,smoker,site,lab"
    assert first.split(",")[7] in ("Rome", "Oslo", "Lima")


def test_levels_that_are_new_are_warned_of(select, ipcae, messy, tmp_path):
    assert select(messy, "--target", "label", "--missing", "impute", "-k", "10", "-q").code == 0
    rows = pd.read_csv(messy).assign(city="Bonn")
    rows.loc[3, "city"] = "ROME"
    rows.to_csv(tmp_path / "new.csv", index=False)
    predicted = ipcae("predict", tmp_path / "out/model.safetensors", tmp_path / "new.csv")
    assert predicted.code == 0
    assert 'levels that were not seen in training (city: "Bonn", "ROME"): they' in predicted.err


def test_a_text_among_numbers_to_predict_from_is_counted_and_no_python_is_advised(
    select, ipcae, messy, tmp_path
):
    assert select(messy, "--target", "label", "--missing", "impute", "-k", "10", "-q").code == 0
    rows = pd.read_csv(messy).astype({"a": object})
    rows.loc[3, "a"] = "about 2"
    rows.to_csv(tmp_path / "new.csv", index=False)
    predicted = ipcae("predict", tmp_path / "out/model.safetensors", tmp_path / "new.csv")
    assert predicted.code == 2
    assert f'contains text (such as "about 2", in 1 of {len(rows)} rows)' in predicted.err
    assert predicted.err.endswith("expected numbers, as in training. Correct these cells.\n")


def test_a_first_column_without_a_name_is_mentioned_and_not_selected(ipcae, numbers, tmp_path):
    numbers.to_csv(tmp_path / "table.csv")
    command = ("select", tmp_path / "table.csv", "-k", 3, "--epochs", 1, "--no-verdict")
    outcome = ipcae(*command, "--out", tmp_path / "out")
    assert outcome.code == 0, outcome.err
    assert "The first column has no name: it names the rows" in outcome.out
    assert set((tmp_path / "out" / "selected.txt").read_text().split()) <= set(numbers)


def test_units_spaces_and_case_of_a_german_export(select, ipcae, frame, tmp_path):
    def german(values, unit):
        texts = (f"{1000 * value:,.1f} {unit}" for value in values)
        return [text.translate(str.maketrans(",.", ".,")) for text in texts]

    path = tmp_path / "machines.csv"
    states = frame["label"].tolist()
    states[:20] = [" ", *(f" {state} " for state in states[1:10]), *["Sick"] * 10]
    table = frame.assign(label=states, cost=german(frame["a"], "EUR"), load=german(frame["b"], "%"))
    table.to_csv(path, sep=";", decimal=",", encoding="cp1252", index=False)
    outcome = select(path, "--target", "label", "--missing", "drop", "--drop", "^[ab]$")
    assert outcome.code == 0
    assert 'numbers, in "EUR"' in outcome.out
    assert "1 of 60 rows has missing values" in outcome.err
    assert 'differ only in upper and lower case: "Sick" and "sick"' in outcome.err
    settings = json.loads((tmp_path / "out/settings.json").read_text())
    assert settings["task_reason"] == '"label" is text with 3 distinct values'
    assert settings["table"]["columns"] == 7
    assert ipcae("predict", tmp_path / "out/model.safetensors", path).code == 0


def test_a_last_row_of_totals_or_means_is_left_out(select, frame, tmp_path):
    for way in ("sum", "mean"):
        last = frame.select_dtypes("number").agg(way).round(4).to_dict() | {"label": "Total"}
        outcome = select(pd.concat([frame, pd.DataFrame([last])]), "--target", "label", "--force")
        assert "the last row has the totals or the means of the other rows" in outcome.err
        assert "60 rows" in outcome.out
    assert "last row" not in select(frame, "--target", "label", "--force").err


def test_infinite_values_are_refused_without_a_warning_of_numpy(select, frame):
    frame.loc[[3, 9], "a"] = [np.inf, -np.inf]
    outcome = select(frame, "--target", "label")
    assert outcome.code == 2
    assert "2 infinite values in 1 of 7 columns (a: 2)" in outcome.err


def test_one_column_that_adds_up_is_not_a_row_of_totals(select, frame):
    frame.loc[59, "a"] = frame["a"][:59].sum()
    assert "last row" not in select(frame, "--target", "label").err


def test_a_line_of_units_below_the_names_is_refused(select, frame, tmp_path):
    path = tmp_path / "units.csv"
    units = pd.DataFrame([dict.fromkeys(frame, "") | {"a": "°C", "b": "bar", "price": "EUR"}])
    pd.concat([units, frame]).to_csv(path, index=False)
    outcome = select(path, "--target", "price", "--drop", "label")
    assert outcome.code == 2
    assert (
        "a line of units or descriptions below the column names (°C, bar, EUR): expected values. "
        "Delete this line, or exchange rows and columns if every column is a sample." in outcome.err
    )


def test_question_texts_and_codes_below_the_names_are_refused(select, frame, tmp_path):
    path = tmp_path / "survey.csv"
    answers = frame.assign(q1=["often", "rarely", "never"] * 20, q2=["yes", "no"] * 30)
    questions = pd.DataFrame(
        [{name: f"{text} {name}?" for name in answers} for text in ("Please answer", "ImportId")]
    )
    pd.concat([questions, answers]).to_csv(path, index=False)
    outcome = select(path, "--target", "label")
    assert outcome.code == 2
    assert "seems to have 2 lines of units or descriptions below the column names" in outcome.err
    assert "Delete these lines, or" in outcome.err


def test_a_first_row_of_rare_answers_is_a_row(frame):
    rare = frame.astype({"a": str, "b": str})
    rare.loc[0, ["a", "b", "label"]] = "not done"
    assert lines_below_names(rare) == []
    texts = pd.DataFrame({"city": ["Bonn", *["Köln", "Kyiv"] * 20], "sex": ["f", *"mf" * 20]})
    assert lines_below_names(texts) == []


def test_words_that_are_repeated_are_not_units(select, frame, tmp_path):
    frame = frame.astype({"a": object, "b": object})
    frame.loc[[0, 7], ["a", "b"]] = "not done"
    outcome = select(frame, "--target", "label")
    assert outcome.code == 0
    assert '"not done" in a, b' in outcome.err


def test_an_answer_outside_of_the_scale_is_pointed_out(select, frame):
    answers = ["agree", "neutral", "disagree", "don't know"]
    frame["item"] = [answers[row % 4] for row in range(60)]
    frame["color"] = [["red", "green", "blue"][row % 3] for row in range(60)]
    said = (
        'answers are used without their order because of others ("don\'t know" in item): if these '
        'stand for missing values, use --missing-value "don\'t know" --missing impute.'
    )
    assert said in select(frame, "--target", "label").err
    given = ("--missing-value", "don't know", "--missing", "impute", "--force")
    assert "without their order" not in select(frame, "--target", "label", *given).err


def test_a_class_of_unknown_rows_is_pointed_out_and_can_be_left_out(select, frame):
    frame.loc[:8, "label"] = "unknown"
    outcome = select(frame, "--target", "label")
    advice = "--missing-value unknown --missing drop"
    assert '"unknown" is a class of "label"' in outcome.err
    assert f"leave them out with {advice}." in outcome.err
    outcome = select(frame, "--target", "label", *advice.split(), "--force")
    assert "unknown" not in outcome.err
    assert "is text with 2 distinct values" in outcome.out


def test_controls_of_a_measurement_are_pointed_out_among_classes():
    names = ["case", "control", "QC", "blank", "pooled QC", "point blanket"]
    groups = pd.Series(names * 5, name="g")
    messages = Messages(quiet=True)
    warn_of_unknown_classes(groups, "error", messages)
    assert '"QC", "blank", "pooled QC" are classes of "g"' in messages.warnings[0]
    assert "--missing-value blank" in messages.warnings[0]


def test_none_is_a_class_if_it_begins_a_scale():
    severity = pd.Series(["none", "mild", "severe"] * 5, name="severity")
    answer = pd.Series(["yes", "no", "Prefer not to say"] * 5, name="answer")
    messages = Messages(quiet=True)
    warn_of_unknown_classes(severity, "error", messages)
    assert messages.warnings == []
    warn_of_unknown_classes(answer, "error", messages)
    assert len(messages.warnings) == 1


def test_two_classes_are_not_called_unknown(select, frame):
    frame["label"] = frame["label"].where(frame["label"] == frame["label"][0], "unknown")
    assert "is a class of" not in select(frame, "--target", "label").err


@pytest.mark.parametrize("row_names", [False, True])
def test_footnotes_and_empty_lines_at_the_end_are_left_out(select, frame, tmp_path, row_names):
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=row_names, sep=";")
    empty = ";" * (frame.shape[1] - 1 + row_names) + "\n"
    path.write_text(path.read_text() + "Source: our lab\n" + 3 * empty)
    outcome = select(path, "--target", "label")
    assert outcome.code == 0, outcome.err
    assert 'the last row has only one value ("Source: our lab"): it is left out.' in outcome.err
    assert f"{len(frame)} rows" in outcome.out


def test_a_last_row_of_missing_values_is_a_row(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\nNA,NA\n")
    assert len(read_table(path)) == 2
    path.write_text("a,b\n1,2\nNA,NA\n,\n,\n\n")
    assert len(read_table(path)) == 2
