"""Displays in the style of scikit-learn: from an estimator, on a new figure or on given Axes."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.text import Text
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    SelectorCV,
    StabilitySelection,
)
from ipcae.plots import (
    NullDisplay,
    ReconstructionDisplay,
    RunsDisplay,
    SelectionDisplay,
    StabilityDisplay,
    TrainingDisplay,
    png_bytes,
)

X = np.random.default_rng(0).normal(size=(60, 12))
X[:, 6:] = X[:, :6] + 0.1 * X[:, 6:]


@pytest.fixture(scope="module")
def selector():
    quick = {
        "method": "ip-cae",
        "max_epochs": 8,
        "decoder": (16,),
        "learning_rate": 0.01,
        "random_state": 0,
    }
    return ReconstructionSelector(3, n_runs=3, **quick).fit(X)


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


DISPLAYS = {
    "selection": (SelectionDisplay, (), {}, 2),
    "selection on a grid": (SelectionDisplay, (), {"grid": (3, 4)}, 1),
    "training": (TrainingDisplay, (), {}, 2),
    "runs": (RunsDisplay, (), {}, 1),
    "reconstruction": (ReconstructionDisplay, (X,), {}, 1),
    "images": (ReconstructionDisplay, (X,), {"grid": (3, 4)}, 1),
}


@pytest.fixture(params=DISPLAYS)
def case(request):
    return DISPLAYS[request.param]


def test_a_new_figure_is_pyplots(case, selector):
    display_class, rows, options, n_panels = case
    display = display_class.from_estimator(selector, *rows, **options)
    assert display.figure_ is pyplot.gcf()
    assert np.size(display.ax_) == n_panels
    assert png_bytes(display.figure_, dpi=40)


def test_one_axes_of_a_grid_is_taken_or_divided(case, selector):
    display_class, rows, options, n_panels = case
    figure, (left, right) = pyplot.subplots(1, 2)
    display = display_class.from_estimator(selector, *rows, **options, ax=right)
    assert display.figure_ is figure
    assert not left.has_data()
    own = left.get_position()
    for panel in np.ravel(display.ax_):
        assert panel.has_data()
        assert panel.get_position().x0 >= own.x1
    assert (display.ax_ is right) == (n_panels == 1)


def test_as_many_axes_as_panels_are_used_as_they_are(case, selector):
    display_class, rows, options, n_panels = case
    _, axes = pyplot.subplots(1, n_panels, squeeze=False)
    display = display_class.from_estimator(selector, *rows, **options, ax=axes)
    assert list(np.ravel(display.ax_)) == list(axes.ravel())


def test_a_display_can_be_drawn_again(case, selector):
    display_class, rows, options, _ = case
    display = display_class.from_estimator(selector, *rows, **options)
    first = display.figure_
    assert display.plot() is display
    assert display.figure_ is not first


def test_other_things_than_axes_are_refused(case, selector):
    display_class, rows, options, n_panels = case
    for wrong in ("here", [1] * n_panels, pyplot.subplots(1, 3)[1]):
        with pytest.raises(InputError, match="Axes"):
            display_class.from_estimator(selector, *rows, **options, ax=wrong)


def test_only_fitted_selectors_are_displayed(case):
    display_class, rows, options, _ = case
    with pytest.raises(NotFittedError):
        display_class.from_estimator(ReconstructionSelector(3), *rows, **options)


@pytest.mark.parametrize("display_class", [SelectionDisplay, ReconstructionDisplay])
def test_a_grid_that_does_not_fit_is_refused(selector, display_class):
    with pytest.raises(InputError, match="does not fit 12 features"):
        display_class.from_estimator(selector, X, grid=(5, 5))


def test_the_display_counts_what_the_runs_share(selector):
    display = RunsDisplay.from_estimator(selector)
    assert display.runs[0] == selector.best_run_
    supports = [selection.support() for selection in selector.selections_]
    votes = np.sum(supports, axis=0)
    np.testing.assert_array_equal(display.selected.sum(0), np.sort(votes[votes > 0])[::-1])
    pairs = [(supports[i], supports[j]) for i in range(3) for j in range(i)]
    expected = np.mean([(a & b).sum() / (a | b).sum() for a, b in pairs])
    assert display.overlap == pytest.approx(expected)


def test_the_display_of_runs_needs_several():
    selector = ReconstructionSelector(3, max_epochs=1, decoder=(8,), random_state=0).fit(X)
    with pytest.raises(InputError, match="n_runs of at least 2"):
        RunsDisplay.from_estimator(selector)


def test_reconstruction_shows_the_worst_columns_first(selector):
    display = ReconstructionDisplay.from_estimator(selector, X, most=4)
    lengths = [bar.get_width() for bar in display.ax_.patches]
    assert len(lengths) == 4
    assert lengths == sorted(lengths)
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    selected = set(selector.get_feature_names_out())
    assert not selected & set(labels)
    worst = int(labels[0].removeprefix("x"))
    restored = selector.reconstruct(selector.transform(X))
    missed = np.square(X[:, worst] - restored[:, worst]).sum()
    total = np.square(X[:, worst] - X[:, worst].mean()).sum()
    assert display.explained[worst] == pytest.approx(1 - missed / total)


def test_only_a_reconstruction_can_be_drawn_as_one():
    quick = {"method": "ip-cae", "max_epochs": 1, "decoder": (8,), "random_state": 0}
    selector = ClassificationSelector(3, **quick).fit(X, X[:, 0] > 0)
    with pytest.raises(InputError, match="ReconstructionSelector"):
        ReconstructionDisplay.from_estimator(selector, X)


@pytest.fixture(scope="module")
def priced():
    """A selector of columns whose names Matplotlib could take for mathematics."""
    names = ["spend_$_per_$_earned", "$\\frac{$", "two\nlines", *(f"${i}$" for i in range(9))]
    rows = pd.DataFrame(X, columns=names)
    quick = {"method": "ip-cae", "max_epochs": 2, "decoder": (8,), "random_state": 0}
    return ReconstructionSelector(4, n_runs=2, **quick).fit(rows), rows


@pytest.mark.parametrize("display", [SelectionDisplay, RunsDisplay, ReconstructionDisplay])
def test_names_are_drawn_as_they_are(priced, display):
    selector, rows = priced
    more = (rows,) if display is ReconstructionDisplay else ()
    figure = display.from_estimator(selector, *more).figure_
    assert png_bytes(figure, dpi=40)
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    drawn = {text.replace("\\$", "$").replace("\\n", "\n") for text in labels}
    assert drawn
    assert drawn <= set(rows)


def test_a_long_title_is_not_cut_off_beside_long_names():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 6)))
    X.columns = [f"{i}{'W' * 30}" for i in range(6)]
    selector = ClassificationSelector(2, method="anova", max_epochs=1, random_state=0)
    stability = StabilitySelection(selector, n_subsamples=10, refit=False).fit(X, X.iloc[:, 0] > 0)
    display = StabilityDisplay.from_estimator(stability)
    display.figure_.canvas.draw()
    title = next(text for text in display.ax_.findobj(Text) if "Stability" in text.get_text())
    assert title.get_window_extent().x1 <= display.figure_.bbox.x1


def test_a_search_is_drawn_as_the_selector_that_it_fitted(selector, case):
    display_class, rows, options, _ = case
    search = SelectorCV(selector, n_features_to_select=[3], cv=2).fit(X)
    first = display_class.from_estimator(search, *rows, **options)
    second = display_class.from_estimator(search.selector_, *rows, **options)
    for one, other in zip(first.figure_.axes, second.figure_.axes, strict=True):
        assert [t.get_text() for t in one.texts] == [t.get_text() for t in other.texts]
        assert one.get_title(loc="left") == other.get_title(loc="left")
    with pytest.raises(InputError, match="estimator is a DummyClassifier: expected a fitted"):
        display_class.from_estimator(DummyClassifier().fit(X, X[:, 0] > 0), *rows, **options)


def test_a_search_is_tested_against_chance_and_drawn():
    chosen = ClassificationSelector(method="anova", max_epochs=3, decoder="linear", random_state=0)
    search = SelectorCV(chosen, n_features_to_select=[1, 2], cv=2)
    display = NullDisplay.from_estimator(search, X, X[:, 0] > 0, n_repeats=1)
    assert display.test.n_compared == 2
    with pytest.raises(InputError, match="expected a selector, or a SelectorCV"):
        NullDisplay.from_estimator(DummyClassifier(), X, X[:, 0] > 0)


def test_reconstructed_columns_are_found_by_name_and_gaps_do_not_count():
    frame = pd.DataFrame(X).add_prefix("x")
    quick = {"method": "pfa", "max_epochs": 8, "random_state": 0, "missing": "impute"}
    fitted = ReconstructionSelector(3, **quick).fit(frame)
    expected = ReconstructionDisplay.from_estimator(fitted, frame)
    others = frame[frame.columns[::-1]].assign(id=1)
    assert np.array_equal(
        ReconstructionDisplay.from_estimator(fitted, others).explained, expected.explained
    )
    unselected = np.flatnonzero(~fitted.get_support())[0]
    gaps = frame.copy()
    gaps.iloc[:10, unselected] = np.nan
    with_gaps = ReconstructionDisplay.from_estimator(fitted, gaps)
    alone = ReconstructionDisplay.from_estimator(fitted, frame[10:])
    assert with_gaps.explained[unselected] == pytest.approx(alone.explained[unselected])


def test_reconstructed_categories_are_not_drawn():
    frame = pd.DataFrame(X).add_prefix("x").assign(kind=np.where(X[:, 0] > 0, "a", "b"))
    fitted = ReconstructionSelector(3, method="pfa", max_epochs=3, random_state=0).fit(frame)
    with pytest.raises(InputError, match="Columns of categories cannot be drawn"):
        ReconstructionDisplay.from_estimator(fitted, frame)
