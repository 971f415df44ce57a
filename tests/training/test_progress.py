"""The progress line, on a terminal and elsewhere."""

import io
import re

import pytest

from ipcae.training import EpochReport, Phase
from ipcae.training.callbacks import announced
from ipcae.training.progress import ProgressLine


class Terminal(io.StringIO):
    def isatty(self):
        return True


def report(epoch, max_epochs=20, **metrics):
    metrics = {"validation_loss": 0.123, "unique_percentage": 87.6} | metrics
    return EpochReport(epoch, max_epochs, metrics, n_active=2, last=epoch + 1 == max_epochs)


def shown(stream, max_epochs=20):
    line = ProgressLine(stream=stream)
    for epoch in range(max_epochs):
        line(report(epoch, max_epochs))
    return stream.getvalue()


@pytest.mark.parametrize(("max_epochs", "n_lines"), [(20, 10), (200, 10), (10, 10), (3, 3), (1, 1)])
def test_a_file_gets_a_line_every_tenth_of_the_way(max_epochs, n_lines):
    lines = shown(io.StringIO(), max_epochs).splitlines()
    assert len(lines) == n_lines
    assert f"{max_epochs}/{max_epochs}" in lines[-1]
    assert not any("\x1b" in line or "\r" in line for line in lines)


def test_a_terminal_redraws_one_line_and_ends_it():
    text = shown(Terminal())
    assert text.count("\r") == 20
    assert text.count("\n") == 1
    assert text.endswith("\n")


def test_a_terminal_line_is_ended_when_training_ends_early():
    stream = Terminal()
    ProgressLine(stream=stream)(EpochReport(4, 20, {"validation_loss": 0.5}, 1, last=True))
    assert stream.getvalue().endswith("elapsed\n")


def test_the_line_fits_a_terminal_of_80_columns():
    wide = report(199, 200, validation_loss=1.23456e-05, unique_percentage=100.0)
    assert len(ProgressLine().line(wide, elapsed=7200.0)) < 80


def test_the_line_says_where_training_stands():
    line = ProgressLine(io.StringIO()).line(report(9), elapsed=30.0)
    assert line.startswith("selecting ")
    for part in ("10/20", "loss 0.123", "unique 88 %", "0:30 left"):
        assert part in line
    assert line.count("━") == line.count("╌")


def test_the_last_line_says_how_long_it_took():
    line = ProgressLine(stream=io.StringIO()).line(report(19), elapsed=75.0)
    assert "1:15 elapsed" in line
    assert "╌" not in line


@pytest.mark.parametrize("phase", Phase)
def test_a_phase_is_named_and_without_nodes_there_is_no_unique_percentage(phase):
    tuning = EpochReport(0, 5, {"validation_loss": 0.5}, n_active=1, phase=phase)
    line = ProgressLine(stream=io.StringIO()).line(tuning, elapsed=1.0)
    assert line.startswith(f"{phase} ")
    assert "unique" not in line


@pytest.mark.parametrize("terminal", [False, True])
def test_what_comes_before_training_is_shown_with_its_seconds(terminal):
    stream = Terminal() if terminal else io.StringIO()
    line = ProgressLine(stream=stream)
    with announced((line, print), "compiling for the GPU"):
        assert ("compiling for the GPU …" in stream.getvalue()) == terminal
    assert re.search(r"compiling for the GPU: \d+\.\d s, once\n$", stream.getvalue())
