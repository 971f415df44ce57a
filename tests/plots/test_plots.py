"""The displays of selections, training curves and runs."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from ipcae import ReconstructionSelector
from ipcae.feature_table import FeatureTable
from ipcae.plots import (
    plot_grid_selection,
    plot_reconstructions,
    plot_selection,
    plot_training,
    png_bytes,
    style,
)


@pytest.fixture(scope="module")
def selector():
    X = np.random.default_rng(0).normal(size=(60, 8))
    return ReconstructionSelector(3, method="ip-cae", n_runs=3, max_epochs=5, random_state=0).fit(X)


def ranking_of(n_selected: int, n_features: int, n_runs: int) -> FeatureTable:
    importance = np.full(n_features, np.nan)
    importance[:n_selected] = np.linspace(1, 0, n_selected)
    return FeatureTable(
        names=[f"feature {i}" for i in range(n_features)],
        indices=np.arange(n_features),
        selected=np.arange(n_features) < n_selected,
        importance=importance,
        importance_error=np.full(n_features, 0.1),
        probability=np.linspace(1, 0, n_features),
        other_seeds=np.linspace(1, 0, n_features),
        n_others=n_runs - 1,
    )


def test_the_ranking_is_that_of_the_selector(selector):
    ranking = FeatureTable.of(selector)
    assert sorted(ranking.indices) == list(range(8))
    assert ranking.selected.tolist() == [True] * 3 + [False] * 5
    assert set(ranking.indices[:3]) == set(selector.get_support(indices=True))
    assert (np.diff(ranking.importance[:3]) <= 0).all()
    assert np.isnan(ranking.importance[3:]).all()
    assert ranking.n_others == 2
    assert ranking.names[0] == f"x{ranking.indices[0]}"
    assert ranking.measure == "probability"


def test_a_method_without_probabilities_has_scores():
    X = np.random.default_rng(0).normal(size=(60, 8))
    ranking = FeatureTable.of(ReconstructionSelector(3, method="pfa", max_epochs=1).fit(X))
    assert ranking.measure == "score"
    legend = plot_selection(ranking).axes[1].get_legend()
    assert "score" in [entry.get_text() for entry in legend.get_texts()]


def test_every_run_has_a_line_and_the_best_is_thick(selector):
    figure = plot_training(selector.history_, selector.best_run_)
    loss, unique = figure.axes
    for panel in (loss, unique):
        lines = [line for line in panel.lines if line.get_linestyle() == "-"]
        assert len(lines) == 3
        assert sum(line.get_linewidth() > 2 for line in lines) == 1
    assert loss.get_yscale() == "log"
    assert f"Run {selector.best_run_} " in loss.get_title(loc="left")
    assert loss.get_title() == ""


def test_fine_tuning_begins_where_the_selection_is_fixed(selector):
    loss, _ = plot_training(selector.history_).axes
    vertical = [
        line for line in loss.lines if len(set(line.get_xdata())) == 1 < len(line.get_xdata())
    ]
    assert [line.get_xdata()[0] for line in vertical] == [5.5]


def test_the_mark_is_on_the_epoch_the_selection_comes_from(selector):
    run = selector.best_run_
    loss, _ = plot_training(selector.history_, run).axes
    mark = next(line for line in loss.lines if line.get_marker() == "o")
    assert mark.get_xdata()[0] == selector.best_epoch_[run] + 1


def test_a_curve_has_a_gap_where_a_run_stopped_before_the_next_phase():
    history = {
        "run": np.zeros(5, dtype=int),
        "epoch": np.array([0, 1, 2, 7, 8]),
        "metric": np.array(["validation_loss"] * 5, dtype=object),
        "value": np.ones(5),
    }
    (loss,) = plot_training(history).axes
    assert np.isnan(loss.lines[0].get_ydata()).tolist() == [False, False, False, True, False, False]


@pytest.mark.parametrize("values", [[0.5], [1.0, -1.0], [np.nan, np.nan], [np.inf, 2.0]])
def test_odd_histories_are_drawn(values):
    n = len(values)
    history = {
        "run": np.zeros(2 * n, dtype=int),
        "epoch": np.tile(np.arange(n), 2),
        "metric": np.array(["validation_loss"] * n + ["unique_percentage"] * n, dtype=object),
        "value": np.array(values + [100.0] * n),
    }
    assert png_bytes(plot_training(history), dpi=40)


def test_many_features_are_cut_and_the_figure_shows_it():
    figure = plot_selection(ranking_of(50, 600, 5))
    bars = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    assert len(bars) == 40
    title = figure.axes[0].get_title(loc="left")
    assert title == "50 of 600 features are selected\n(first 40 shown)"
    assert png_bytes(figure, dpi=40)


def test_other_seeds_are_drawn_for_several_runs_only():
    def labels(n_runs):
        panel = plot_selection(ranking_of(3, 8, n_runs)).axes[1]
        return [text.get_text() for text in panel.get_legend().get_texts()]

    assert labels(1) == ["probability"]
    assert labels(4) == ["fraction of 3 other seeds", "probability"]


def test_pixels_lie_where_the_order_says():
    for order, corner in (("C", (0.5, -0.5)), ("F", (-0.5, 0.5))):
        panel = plot_grid_selection([1], (3, 3), np.arange(9.0), order=order).axes[0]
        assert panel.patches[0].get_xy() == corner
        assert [text.get_text() for text in panel.texts] == ["1"]


def test_what_is_not_measured_is_left_blank():
    figure = style.new_figure(2, 3)
    axes = figure.subplots(3, 2)
    images = np.arange(8.0).reshape(2, 4)
    plot_reconstructions(images, images, np.array([True, False, False, True]), (2, 2), axes)
    measured = np.ma.filled(axes[1, 0].images[0].get_array(), np.nan)
    assert np.isnan(measured).tolist() == [[False, True], [True, False]]


def test_figures_are_repeatable_and_leave_pyplot_alone(selector, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    first, again = (png_bytes(plot_training(selector.history_)) for _ in range(2))
    assert first == again
    assert png_bytes(plot_selection(FeatureTable.of(selector)))


def test_a_method_without_nodes_has_no_empty_panel():
    history = {
        "run": np.zeros(2, int),
        "epoch": np.arange(2),
        "metric": np.array(["validation_loss"] * 2, dtype=object),
        "value": np.array([0.5, 0.2]),
    }
    (panel,) = plot_training(history).axes
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("epoch", "validation loss")


def test_characters_that_the_font_lacks_are_drawn_without_a_warning():
    ranking = replace(ranking_of(2, 3, 1), names=["🧬 gene", "温度", "feature 2"])
    assert png_bytes(plot_selection(ranking))[1:4] == b"PNG"
