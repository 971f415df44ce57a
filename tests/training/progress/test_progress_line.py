"""The progress of a training: a bar on a terminal, lines elsewhere."""

import io
import os
import re
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from ipcae.training import EpochReport, Phase
from ipcae.training.progress.callbacks import announced
from ipcae.training.progress.progress_line import ProgressLine

ERASE = "\x1b[2K"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def screen(monkeypatch):
    """A terminal of 80 columns that rich can draw on, where every epoch is drawn."""
    monkeypatch.setattr("ipcae.training.progress.terminal_bar._REFRESH_SECONDS", 0.0)
    monkeypatch.setattr("ipcae.training.progress.progress_line._LINE_SECONDS", 0.0)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture
def open_terminal(monkeypatch):
    """Make standard error and standard output a terminal from the call on."""

    def call():
        stream = Terminal()
        monkeypatch.setattr("sys.stderr", stream)
        monkeypatch.setattr("sys.stdout", stream)
        return stream

    return call


def report(epoch, max_epochs=20, last=None, phase=Phase.SELECTING, **metrics):
    metrics = {"validation_loss": 0.123, "unique_percentage": 87.6} | metrics
    last = epoch + 1 == max_epochs if last is None else last
    return EpochReport(epoch, max_epochs, metrics, n_active=2, last=last, phase=phase)


def shown(stream, max_epochs=20, **options):
    line = ProgressLine(stream=stream)
    for epoch in range(max_epochs):
        line(report(epoch, max_epochs, **options))
    return stream.getvalue()


def screen_lines(text):
    """Return the lines that a terminal shows after the text, the one with the cursor last."""
    lines, row, column = [""], 0, 0
    for token in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|.", text, re.S):
        if token == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif token == "\r":
            column = 0
        elif token == "\x1b[1A":
            row -= 1
        elif token == ERASE:
            lines[row] = ""
        elif not token.startswith("\x1b"):
            lines[row] = lines[row][:column].ljust(column) + token + lines[row][column + 1 :]
            column += 1
    return [line.rstrip() for line in lines[: row + 1]]


# Elsewhere.


@pytest.mark.parametrize(("max_epochs", "n_lines"), [(20, 10), (200, 10), (10, 10), (3, 3), (1, 1)])
def test_a_file_gets_a_line_every_tenth_of_the_way(max_epochs, n_lines):
    lines = shown(io.StringIO(), max_epochs).splitlines()
    assert len(lines) == n_lines
    assert f"{max_epochs}/{max_epochs}" in lines[-1]
    assert not any("\x1b" in line or "\r" in line for line in lines)
    assert all(line.isascii() for line in lines)


def test_a_file_gets_at_most_a_line_per_second_and_the_last_one(monkeypatch):
    monkeypatch.setattr("ipcae.training.progress.progress_line._LINE_SECONDS", 1.0)
    now = iter(range(10**6))
    assert len(shown(io.StringIO()).splitlines()) == 1
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(now)))
    assert len(shown(io.StringIO()).splitlines()) == 10


def test_a_line_has_phase_epoch_loss_unique_percentage_and_time():
    first, *_, last = shown(io.StringIO()).splitlines()
    assert re.fullmatch(r"selecting +2/20  loss 0\.123  unique 88 %  0:00 left", first)
    assert re.fullmatch(r"selecting +20/20  loss 0\.123  unique 88 %  0:00 elapsed", last)


def test_the_time_left_follows_from_the_speed_of_a_resumed_training_too(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    stream = io.StringIO()
    line = ProgressLine(stream)
    for epoch in range(50, 60):
        now[0] += 30.0
        line(report(epoch, 100))
    assert stream.getvalue().splitlines()[-1].endswith("20:00 left")


@pytest.mark.parametrize("phase", Phase)
def test_a_phase_is_named_and_has_its_own_metrics(phase):
    stream = io.StringIO()
    metrics = {"validation_loss": 0.5, "open_features": 12.0}
    ProgressLine(stream)(EpochReport(4, 5, metrics, n_active=1, phase=phase, last=True))
    assert stream.getvalue().startswith(f"{phase} ")
    assert "12 features open" in stream.getvalue()
    assert "unique" not in stream.getvalue()


# On a terminal.


def test_a_terminal_redraws_one_line_and_ends_it(open_terminal):
    terminal = open_terminal()
    text = shown(terminal)
    assert text.count(ERASE) >= 19
    *lines, end = screen_lines(text)
    assert end == ""
    assert len(lines) == 1
    assert lines[0].startswith("selecting ")
    for part in ("━━━━", "20/20", "loss 0.123", "unique 88 %", "0:00 elapsed"):
        assert part in lines[0]


def test_the_cursor_is_visible_between_epochs(open_terminal):
    terminal = open_terminal()
    line = ProgressLine()
    for epoch in range(3):
        line(report(epoch))
        text = terminal.getvalue()
        assert text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l")
    line(report(3, last=True))


def test_a_training_that_ends_early_ends_its_line(open_terminal):
    terminal = open_terminal()
    line = ProgressLine()
    line(report(3))
    line(report(4, last=True))
    assert screen_lines(terminal.getvalue())[-2].endswith("elapsed")
    assert terminal.getvalue().count("\n") == 1


def test_every_phase_has_its_line(open_terminal):
    terminal = open_terminal()
    line = ProgressLine()
    for phase in (Phase.SELECTING, Phase.FINE_TUNING):
        for epoch in range(5):
            line(report(epoch, 5, phase=phase))
    lines = screen_lines(terminal.getvalue())
    assert [text.split()[0] for text in lines[:-1]] == ["selecting", "fine-tuning"]


def test_the_bar_fits_a_terminal_of_80_columns(open_terminal):
    terminal = open_terminal()
    line = ProgressLine()
    wide = {"validation_loss": 1.23456e-05, "unique_percentage": 100.0}
    line(report(198, 200, **wide))
    line(report(199, 200, **wide))
    *lines, _ = screen_lines(terminal.getvalue())
    assert len(lines) == 1
    assert len(lines[0]) <= 80
    assert lines[0].endswith("elapsed")


def test_other_output_replaces_the_bar(open_terminal):
    terminal = open_terminal()
    line = ProgressLine()
    line(report(0))
    print("a message", file=sys.stderr)
    print("another", "message")
    assert sys.stderr is terminal
    line(report(1, last=True))
    first, second, bar, end = screen_lines(terminal.getvalue())
    assert (first, second, end) == ("a message", "another message", "")
    assert "2/20" in bar


def test_nothing_is_left_to_clean_up_after_an_error(open_terminal):
    terminal = open_terminal()
    line = ProgressLine()
    line(report(0))
    try:
        raise RuntimeError("oh no")
    except RuntimeError:
        sys.excepthook(*sys.exc_info())
    assert sys.stderr is terminal
    assert sys.stdout is terminal
    lines = screen_lines(terminal.getvalue())
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-2:] == ["RuntimeError: oh no", ""]


def test_a_training_inside_another_one_has_its_own_bar(open_terminal):
    terminal = open_terminal()
    outer = ProgressLine()
    outer(report(0))
    inner = ProgressLine()
    for epoch in range(5):
        inner(report(epoch, 5, phase=Phase.SCREENING))
    outer(report(1))
    outer(report(2, last=True))
    assert sys.stderr is terminal
    inner_bar, outer_bar, end = screen_lines(terminal.getvalue())
    assert "5/5" in inner_bar
    assert "3/20" in outer_bar
    assert end == ""


def test_the_bar_is_drawn_at_most_ten_times_a_second(open_terminal, monkeypatch):
    terminal = open_terminal()
    monkeypatch.setattr("ipcae.training.progress.terminal_bar._REFRESH_SECONDS", 60.0)
    text = shown(terminal, 1000)
    assert text.count(ERASE) <= 3
    assert "1000/1000" in text


@pytest.mark.parametrize("lacking", ["rich", "cursor control"])
def test_a_terminal_that_cannot_draw_gets_lines(open_terminal, monkeypatch, lacking):
    terminal = open_terminal()
    if lacking == "rich":
        for name in [name for name in sys.modules if name.partition(".")[0] == "rich"]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "rich", None)
    else:
        monkeypatch.setenv("TERM", "dumb")
    text = shown(terminal)
    assert "\x1b" not in text
    assert len(text.splitlines()) == 10


# Anywhere.


@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
def test_a_stream_that_fails_does_not_stop_the_training(kind):
    class Broken(kind):
        n_writes = 0

        def write(self, text):
            Broken.n_writes += 1
            raise OSError("gone")

    line = ProgressLine(Broken())
    for epoch in range(10):
        line(report(epoch, 10))
        line.preparing("compiling")
        line.prepared("compiling", 1.0)
    assert 1 <= Broken.n_writes < 5


def test_without_standard_error_nothing_is_shown(monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    line = ProgressLine()
    line(report(0, 1))
    line.prepared("compiling", 1.0)


@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
def test_what_comes_before_training_is_shown_with_its_seconds(kind):
    stream = kind()
    line = ProgressLine(stream=stream)
    with announced((line, print), "compiling for the GPU"):
        assert ("compiling for the GPU …" in stream.getvalue()) == stream.isatty()
    *_, last, end = screen_lines(stream.getvalue())
    assert re.fullmatch(r"compiling for the GPU: \d+\.\d s", last)
    assert end == ""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_print_on_a_real_terminal_while_the_bar_is_shown():
    """``print`` writes its arguments one by one to the stream that is replaced meanwhile."""
    import pty

    code = """
from ipcae.training import EpochReport
from ipcae.training.progress import progress_line, terminal_bar
terminal_bar._REFRESH_SECONDS = 0.0
line = progress_line.ProgressLine()
for epoch in range(50):
    line(EpochReport(epoch, 50, {"validation_loss": 0.5}, 1, last=epoch == 49))
    print("epoch", epoch, "ends")
"""
    main, secondary = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", code], stdout=secondary, stderr=secondary)
    os.close(secondary)
    content = b""
    with suppress(OSError):  # when the other end is closed
        while part := os.read(main, 4096):
            content += part
    os.close(main)
    assert process.wait(60) == 0
    *lines, end = screen_lines(content.decode())
    assert end == ""
    assert "50/50" in lines.pop(-2)
    assert lines == [f"epoch {epoch} ends" for epoch in range(50)]
