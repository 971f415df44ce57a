"""Training curves in reports and on the live page."""

import re
from itertools import pairwise

import numpy as np
import pytest

from ipcae.report.charts.axes import FRAME
from ipcae.report.charts.curves import draw_curves, phase_starts
from ipcae.report.charts.line_chart import Line, LineChart
from ipcae.report.live import LiveCurves
from ipcae.training import EpochReport, History, Phase


@pytest.fixture
def history() -> History:
    """Two runs in three phases of two epochs each; the last loss is the lowest."""
    history = History()
    phases = np.repeat([Phase.SCREENING, Phase.DECODING, Phase.FINE_TUNING], 2)
    for epoch, phase in enumerate(phases):
        history.add(epoch, phase, "train_loss", [0, 1], [1.0, 1.0])
        history.add(epoch, phase, "validation_loss", [0, 1], [6.0 - epoch, 5.5 - epoch])
    return history


def test_every_later_phase_is_marked_where_it_starts(history):
    assert phase_starts(history.columns()) == [(2.5, "decoding"), (4.5, "fine-tuning")]
    charts = draw_curves(history.columns(), 0, 1)
    assert charts.count('class="mark"') == 2
    assert re.findall(r">(decoding|fine-tuning)</text>", charts) == ["fine-tuning", "decoding"]
    assert charts.count('class="ring"') == 1


def test_a_run_that_stopped_early_has_a_gap_before_the_next_phase():
    history = History()
    for epoch in range(5):
        active = [0, 1] if epoch < 3 else [1]
        history.add(epoch, Phase.DECODING, "validation_loss", active, [1.0] * len(active))
    for epoch in range(5, 8):
        history.add(epoch, Phase.FINE_TUNING, "validation_loss", [0, 1], [1.0, 1.0])
    lines = re.findall(
        r'<polyline class="(\w+)" points="([^"]*)"', draw_curves(history.columns(), 0, 1)
    )
    assert [(css, len(points.split())) for css, points in lines if points] == [
        ("pale", 8),
        ("first", 3),
        ("first", 3),
    ]


def test_without_an_epoch_to_keep_there_is_no_ring(history):
    assert 'class="ring"' not in draw_curves(history.columns(), 0, -1)


def test_words_of_marks_do_not_overlap_or_leave_the_chart():
    marks = [(8.0, "decoding"), (9.0, "fine-tuning"), (9.5, "more")]
    chart = LineChart("Loss", "epoch", [Line("a", {1.0: 1.0, 10.0: 2.0}, "first")], marks=marks)
    ends = [(start, start + 6 * len(words)) for start, words in chart.mark_labels]
    assert max(end for _, end in ends) <= FRAME.right
    assert all(later[0] > earlier[1] for later, earlier in pairwise(ends))


def test_a_live_page_marks_the_best_epoch_of_the_first_phase():
    live = LiveCurves()
    for phase, losses in (("screening", [3.0, 2.0]), ("decoding", [1.0])):
        for epoch, loss in enumerate(losses):
            per_run = {"train_loss": [loss], "validation_loss": [loss]}
            live(
                EpochReport(
                    epoch,
                    2,
                    {"validation_loss": loss},
                    1,
                    runs=(0,),
                    per_run=per_run,
                    phase=Phase(phase),
                )
            )
    charts = live.state()["charts"]
    ring = float(re.search(r'class="ring" cx="([\d.]+)"', charts).group(1))
    middle = (FRAME.left + FRAME.right) / 2
    assert ring == pytest.approx(middle, abs=0.1)
