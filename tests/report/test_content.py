"""The content of a report, with and without rows."""

import copy
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from ipcae import ClassificationSelector, InputError, ReconstructionSelector
from ipcae.report import report_html, write_report
from ipcae.report.details import draw_details
from ipcae.tasks import Task

TASKS = ["classification", "regression", "reconstruction"]
EVIDENCE = {
    "classification": "Confusion matrix",
    "regression": "Predicted vs. true values",
    "reconstruction": "Reconstruction of unselected columns",
}
VOID = {"meta", "link", "input", "img", "br"}


class Outline(HTMLParser):
    """The elements of a page, checking that they are closed in order."""

    def __init__(self, page: str):
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += "" if self.open and self.open[-1] in ("script", "style") else data

    def attributes(self, name: str) -> list[str | None]:
        return [attributes[name] for _, attributes in self.seen if name in attributes]


def headings(outline: Outline) -> list[str | None]:
    return [attributes["id"] for tag, attributes in outline.seen if tag == "section"]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("n_runs", [1, 3])
def test_with_rows_every_section_is_there(fitted, task, n_runs):
    case = fitted(task, n_runs)
    page = report_html(case.selector, **case.rows)
    outline = Outline(page)
    assert headings(outline) == [
        *("features", "held-out", "comparison", "reasons", "correlated", "training", "facts")
    ]
    text = " ".join(outline.text.split())
    purpose = case.selector.task_.purpose
    assert f"3 of 12 features were selected by the method ip-cae {purpose}" in text
    assert ("best of 3 runs" in text) == (n_runs == 3)
    assert "X_train" not in text
    assert EVIDENCE[task] in text
    assert "40 held-out rows" in text
    assert "80 training rows" in text
    assert f"of {n_runs}" in text
    assert ("other runs" in text) == (n_runs == 3)
    for name in case.selector.get_feature_names_out():
        assert f'<th scope="row">{name}</th>' in page
    assert "nan" not in re.sub(r"<script.*?</script>", "", page.lower(), flags=re.DOTALL)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("n_runs", [1, 3])
def test_without_rows_one_sentence_says_what_they_would_add(fitted, task, n_runs):
    outline = Outline(report_html(fitted(task, n_runs).selector))
    assert headings(outline) == ["features", "rows", "training", "facts"]
    assert "No rows were given to evaluate the selection on" in outline.text
    assert "Pass X and y, ideally rows not used in fit, to add metrics" in outline.text


@pytest.mark.parametrize("task", TASKS)
def test_without_training_rows_the_given_ones_are_divided(fitted, task):
    case = fitted(task)
    text = Outline(report_html(case.selector, case.X, case.y)).text
    assert "epochs on 27 training rows" in text
    assert "measured on the same 13 rows" in text
    assert "If they were used in fit, the scores are optimistic." in text


def test_the_score_is_the_selectors_own(fitted):
    case = fitted("classification", 3)
    score = case.selector.score(case.X, case.y)
    text = Outline(report_html(case.selector, **case.rows)).text
    percent = f"{100 * score:.1f}".removesuffix(".0")
    assert f"classifies {percent}\u00a0% of the rows correctly" in text
    case = fitted("regression")
    text = Outline(report_html(case.selector, **case.rows)).text
    assert f"{case.selector.score(case.X, case.y):.3f}".replace("-", "−") in text


def test_the_page_loads_nothing_from_elsewhere(written):
    page = written.read_text(encoding="utf-8")
    outline = Outline(page)
    for name in ("src", "href"):
        assert all(link.startswith(("data:", "#")) for link in outline.attributes(name))
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|https?://(?!www\.w3\.org)", page)
    assert "default-src 'none'" in page
    assert len(page) < 300_000


def test_what_people_wrote_is_shown_and_never_run(written, fitted):
    page = written.read_text(encoding="utf-8")
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "</script><b>" not in page
    evil = '"><img src=x onerror=alert(1)>'
    case = fitted("classification")
    labels = np.where(case.y_train == "sick", evil, "</style>")
    selector = ClassificationSelector(2, max_epochs=2, decoder=(4,), random_state=0)
    selector.fit(case.X_train, labels)
    page = report_html(
        selector,
        case.X_train,
        labels,
        title=evil,
        facts={evil: {evil: evil}, "list": [evil]},
    )
    outline = Outline(page)
    assert "onerror" not in {name for _, attributes in outline.seen for name in attributes}
    assert page.count("</style>") == 1
    assert outline.text.count(evil) > 4


def test_embedded_values_are_json(written):
    page = written.read_text(encoding="utf-8")
    blocks = re.findall(r'<script type="application/json">(.*?)</script>', page)
    charts = [json.loads(block) for block in blocks]
    assert len(charts) == 5
    for chart in charts:
        assert len(chart["x"]) == len(chart["heads"])
        assert all(len(line["y"]) == len(chart["x"]) for line in chart["lines"])


def test_a_grid_shows_every_selected_feature(fitted):
    case = fitted("reconstruction")
    page = report_html(case.selector, case.X, grid=(3, 4))
    assert page.count("<rect") == 3
    assert "Best and worst reconstructions" in page
    assert page.count('class="pixels"') == 2 * 4 * 3
    with pytest.raises(InputError, match=r"grid=\(5, 5\) does not fit 12 features"):
        report_html(case.selector, grid=(5, 5))


def test_the_table_of_many_features_is_cut_and_says_so():
    X = np.random.default_rng(0).normal(size=(30, 1500))
    selector = ReconstructionSelector(5, max_epochs=2, decoder=(4,), random_state=0).fit(X)
    page = report_html(selector, X)
    assert page.count('<tr class="selected">') == 5
    assert page.count('<tr class="other">') == 295
    assert "The table lists the first 300 of 1,500 features." in page
    assert len(page) < 400_000


def test_facts_tell_data_and_versions(fitted):
    case = fitted("regression")
    facts = {"Command": {"table": "wine.csv", "force": False}, "Note": "by hand"}
    page = report_html(case.selector, **case.rows, facts=facts)
    values = np.ascontiguousarray(case.X.to_numpy())
    assert hashlib.sha256(values).hexdigest() in page
    for word in ("torch", "scikit-learn", "max_epochs", "wine.csv", "by hand", "this report"):
        assert word in page


def test_several_labels_and_several_targets(fitted):
    case = fitted("classification")
    labels = (case.X_train[["a", "c"]].to_numpy() > 0).astype(int)
    settings = {"max_epochs": 3, "decoder": (4,), "random_state": 0}
    page = report_html(
        ClassificationSelector(2, **settings).fit(case.X_train, labels), case.X_train, labels
    )
    assert "rows with all labels correct" in page
    regression = fitted("regression").selector.__class__(2, **settings)
    values = case.X_train[["a", "c"]].to_numpy()
    page = report_html(regression.fit(case.X_train, values), case.X_train, values)
    assert "Predicted vs. true values, target 1" in page


def test_rows_of_unknown_classes_are_left_out_and_counted(fitted):
    case = fitted("classification")
    labels = case.y.astype(object)
    labels[:2] = "unheard of"
    text = Outline(report_html(case.selector, case.X, labels)).text
    assert "2 rows of classes not seen in fit are left out" in text
    with pytest.raises(InputError, match="nothing to evaluate on"):
        report_html(case.selector, case.X, np.full(len(case.X), "unheard of"))


def test_a_decoder_for_one_size_leaves_the_comparison_out(fitted):
    from torch import nn

    case = fitted("regression", decoder=lambda n, m: nn.Sequential(nn.Linear(3, m)))
    text = Outline(report_html(case.selector, **case.rows)).text
    assert "Not available: The decoder cannot take" in text


def test_all_features_selected_leaves_none_to_correlate_with(fitted):
    case = fitted("regression")
    selector = type(case.selector)(12, max_epochs=2, decoder=(4,), random_state=0)
    selector.fit(case.X_train, case.y_train)
    text = Outline(report_html(selector, **case.rows)).text
    assert "All features are selected" in text
    assert "random features" not in text


def test_rows_that_do_not_fit_are_refused(fitted, tmp_path):
    case = fitted("regression")
    with pytest.raises(InputError, match="X is missing"):
        report_html(case.selector, X_train=case.X_train, y_train=case.y_train)
    with pytest.raises(ValueError, match="X lacks 8 of the 12 columns"):
        report_html(case.selector, case.X.iloc[:, :4], case.y)
    with pytest.raises(InputError, match="y to be passed"):
        write_report(case.selector, tmp_path / "x.html", case.X)
    assert not (tmp_path / "x.html").exists()


def test_one_column_and_one_epoch_are_enough():
    X = np.random.default_rng(0).normal(size=(40, 1))
    selector = ReconstructionSelector(1, max_epochs=1, decoder=(4,), random_state=0).fit(X)
    Outline(report_html(selector, X, grid=(1, 1)))


def test_an_interrupted_training_is_not_followed_by_others(fitted):
    case = fitted("regression")
    selector = copy.copy(case.selector)
    selector.run_status_ = ["interrupted"]
    text = Outline(report_html(selector, **case.rows)).text
    assert "Not available: the training was interrupted" in text


def test_a_diverged_run_is_shown_as_such(fitted):
    case = fitted("regression", 3)
    selector = copy.copy(case.selector)
    lost = (selector.best_run_ + 1) % 3
    selector.validation_loss_ = np.where(np.arange(3) == lost, np.inf, selector.validation_loss_)
    selector.run_status_ = ["diverged" if run == lost else "finished" for run in range(3)]
    history = dict(selector.history_)
    history["value"] = np.where(history["run"] == lost, np.nan, history["value"])
    selector.history_ = history
    text = Outline(report_html(selector, **case.rows)).text
    assert "diverged" in text
    assert re.search(r"\d of 1\b", text)  # one other usable run


def test_the_selector_stays_as_it_was(fitted):
    from torch import nn

    case = fitted("regression", decoder=lambda n, m: nn.Linear(n, m))
    before = {name: repr(value) for name, value in vars(case.selector).items()}
    n_modules = len(case.selector.model_.decoder._modules)
    report_html(case.selector, **case.rows)
    assert {name: repr(value) for name, value in vars(case.selector).items()} == before
    assert len(case.selector.model_.decoder._modules) == n_modules


def test_a_missing_folder_is_named_before_the_work(fitted, tmp_path, monkeypatch):
    monkeypatch.setattr("ipcae.report.write.report_html", None)
    with pytest.raises(InputError, match="cannot be written: there is no folder"):
        write_report(fitted("regression").selector, tmp_path / "missing" / "report.html")


def test_characters_that_cannot_be_seen_are_shown_escaped(fitted):
    names = ["\u202egpj.exe", "bell\x07", "two\nlines", "' onclick='x\n\"<b>", *"efghijkl"]
    case = fitted("regression", names=names)
    page = report_html(case.selector, **case.rows, title="\u202ereport\ud800", grid=(3, 4))
    page.encode()
    assert Outline(page).attributes("onclick") == []
    assert r"<h1>\u202ereport\ud800</h1>" in page
    assert r'<th scope="row" data-name=' in page
    for shown in (r"\u202egpj.exe", r"bell\x07", r"two\nlines"):
        assert f">{shown}</th>" in page
    assert not re.search("[\x00-\x09\x0b-\x1f\u2028-\u202e\ud800-\udfff]", page)


def test_a_task_without_details_shows_only_its_metrics(fitted, monkeypatch):
    monkeypatch.setattr("ipcae.report.sections.held_out.draw_details", draw_details.dispatch(Task))
    case = fitted("regression")
    text = Outline(report_html(case.selector, **case.rows)).text
    assert "mean absolute error" in text
    assert "Predicted vs. true values" not in text


def test_a_leak_and_identical_columns_are_said_at_the_top(fitted):
    case = fitted("classification")
    X, X_train = case.X.copy(), case.X_train.copy()
    for rows, y in ((X, case.y), (X_train, case.y_train)):
        rows["l"], rows["k"] = 1.0 * (y == "sick"), rows["j"]
    page = report_html(case.selector, X, case.y, X_train=X_train, y_train=case.y_train)
    top = page[: page.index("<nav")]
    assert "l alone predicts the target suspiciously well" in top
    assert "1 group of columns is identical: j = k." in top


def test_many_classes_are_listed_by_their_errors_instead_of_a_matrix():
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(40), 6)
    X = random.normal(size=(40, 8))[y] + 0.3 * random.normal(size=(240, 8))
    selector = ClassificationSelector(3, max_epochs=3, random_state=0).fit(X[::2], y[::2])
    text = Outline(report_html(selector, X[1::2], y[1::2])).text
    assert "Most frequent errors" in text
    assert "Classes with the lowest recall" in text
    assert "of 40 classes have no errors" in text
    assert "true ↓ predicted" not in text
