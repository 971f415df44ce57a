"""The numbers in docs/speed.md, and in two pages of experiments, match the measurements."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
STEPS = 11_200


def table():
    rows = re.findall(r"^\| (\d+) \| (\w+) \| (\w+) \| ([\d.]+) \| (\d+) \|$", page(), re.MULTILINE)
    assert rows
    return rows


def newest(path, **wanted):
    with (ROOT / "benchmarks" / path).open() as file:
        rows = [row for row in csv.DictReader(file) if wanted.items() <= row.items()]
    return rows[-1]


def page(name="speed.md"):
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def measured():
    with (ROOT / "benchmarks" / "train_gpu.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["question"] == "target"]
    return {
        (row["runs"], row["draws"], row["precision"]): float(row["median"])
        for row in rows
        if row["implementation"] == "ipcae"
    }


@pytest.mark.parametrize(("runs", "draws", "precision", "seconds", "per_step"), table())
def test_every_row_was_measured(runs, draws, precision, seconds, per_step):
    median = measured()[runs, draws, precision]
    assert seconds == f"{median:.2f}"
    assert per_step == f"{median / STEPS * 1e6:.0f}"


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("plain", "the process itself"),
        ("plain, 4 loader processes", "four worker"),
        ("plain, 16 loader processes", "sixteen worker"),
    ],
)
def test_the_plain_way_was_measured(name, row):
    plain = float(newest("train_gpu.csv", question="target", implementation=name)["median"])
    cells = re.findall(rf"^\| {row}[^|]*\| (\d+) \| (\d+) times \| (\d+) times \|$", page(), re.M)
    ours = [measured()["10", draws, "tf32"] / 10 for draws in ("row", "1")]
    assert cells == [tuple(f"{plain / one:.0f}" for one in (1, *ours))]


@pytest.mark.parametrize(
    ("case", "two_threads", "one_thread"),
    re.findall(r"^\| (ours[^|]*|the matrix[^|]*) \| ([\d.]+) \| ([\d.]+) \|$", page(), re.M),
)
def test_the_cpu_was_measured(case, two_threads, one_thread):
    assert len(re.findall(r"^\| ours, ", page(), re.M)) == 3
    for threads, faster in (("2", two_threads), ("1", one_thread)):
        assert newest("epoch_cpu.csv", case=case, threads=threads)["times_faster_per_run"] == faster


def test_the_kernels_of_the_page_were_measured():
    ten_runs = {"runs": "10", "draws": "row", "precision": "tf32"}
    update = float(
        newest(
            "kernels_gpu.csv", question="kernel", implementation="_update_by_product", **ten_runs
        )["median"]
    )
    mnist = ten_runs | {"features": "784"}
    forward, backward, drawn_forward, drawn_backward = (
        float(newest("selection_gpu.csv", question=kept, implementation=kernel, **mnist)["median"])
        for kept, kernel in (
            ("kept", "select_rows"),
            ("kept", "logits_gradient_kept"),
            ("drawn again", "select_rows"),
            ("drawn again", "logits_gradient_rows"),
        )
    )
    row, shared = (
        float(newest("kernels_gpu.csv", question="step", **ten_runs | {"draws": draws})["median"])
        for draws in ("row", "1")
    )
    text = " ".join(page("experiments/gpu-step.md").split())
    assert f"step with a draw per row takes {row:.0f} µs, and its memory" in text
    assert f"step with a shared draw takes {shared:.0f} µs instead of" in text
    assert f"34 µs at 4.3 TB/s. The kernel takes {update:.0f} µs:" in text
    twice = f"{drawn_forward:.0f} and {drawn_backward:.0f} µs if the noise is drawn twice"
    assert f"The kernels take {forward:.0f} and {backward:.0f} µs, and {twice}" in text


def test_the_sizes_of_the_page_were_measured():
    million = {"features": "1000000", "question": "features", "implementation": "ipcae"}
    row, eight = (
        newest("train_gpu.csv", draws=draws, **million)["median"] for draws in ("row", "8")
    )
    peak = newest("train_gpu.csv", **million | {"question": "features memory", "draws": "row"})
    text = " ".join(page().split())
    times = (
        f"take {float(row) / 1e3:.0f} ms a step with a draw per row and {float(eight) / 1e3:.0f}"
    )
    assert f"{times} ms with eight draws, in {float(peak['median']) / 1e3:.1f} GB" in text


def test_rounding_changes_no_more_than_the_page_says():
    found = {}
    for dataset in DATASETS.values():
        for task in ("reconstruction", "classification"):
            for method in ("cae", "ip-cae"):
                key = {"dataset": dataset, "task": task, "method": method}
                exact = newest("precision.csv", precision="float32", **key)
                for precision in ("tf32", "bfloat16"):
                    row = newest("precision.csv", precision=precision, **key)
                    spread = np.hypot(float(row["std"]), float(exact["std"])) / 2**0.5
                    change = abs(float(row["mean"]) - float(exact["mean"])) / spread
                    found[precision, dataset, task, method] = change
    largest = max(change for (precision, *_), change in found.items() if precision == "tf32")
    exception = found.pop(("bfloat16", "coil20", "reconstruction", "ip-cae"))
    text = " ".join(page("experiments/precision.md").split())
    assert f"by at most {largest:.1f} standard deviations of the runs" in text
    assert f"which is lower by {exception:.1f} standard deviations." in text
    assert f"{max(found.values()):.1f}" == f"{largest:.1f}"


def test_the_instructions_of_the_page_were_counted():
    forward, backward = (
        newest("instructions.csv", kernel=kernel)
        for kernel in ("select_rows", "logits_gradient_kept")
    )
    text = " ".join(page("experiments/gpu-step.md").split())
    each = [row["per_number"] for row in (forward, backward)]
    least = [row["us_at_least"] for row in (forward, backward)]
    assert f"A number costs {each[0]} instructions" in text
    assert f"with {each[1]} instructions per number" in text
    assert f"that is {least[0]} µs and {least[1]} µs" in text
    assert f"needs {sum(map(int, least))} µs of arithmetic" in text


DATASETS = {
    "MNIST": "mnist",
    "Fashion-MNIST": "fashion_mnist",
    "ISOLET": "isolet",
    "COIL-20": "coil20",
    "HAR": "har",
    "Mice Protein": "mice_protein",
}
PRECISION_ROW = re.compile(
    r"^\| ([\w -]+) \| (CAE|IP-CAE) \| (error|accuracy)[^|]* \| (.+) \| (.+) \| (.+) \|$", re.M
)


@pytest.mark.parametrize(
    ("dataset", "method", "figure", "cells"),
    [
        (dataset, method, figure, cells)
        for dataset, method, figure, *cells in PRECISION_ROW.findall(
            page("experiments/precision.md")
        )
    ],
)
def test_what_rounding_does_was_measured(dataset, method, figure, cells):
    task, unit = ("reconstruction", 1000) if figure == "error" else ("classification", 1)
    for precision, shown in zip(("float32", "tf32", "bfloat16"), cells, strict=True):
        wanted = {"dataset": DATASETS[dataset], "method": method.lower(), "task": task}
        row = newest("precision.csv", precision=precision, **wanted)
        assert shown == f"{unit * float(row['mean']):.2f} ± {unit * float(row['std']):.2f}"


def test_the_page_shows_both_tables_in_every_precision():
    assert len(PRECISION_ROW.findall(page("experiments/precision.md"))) == 2 * 2 * len(DATASETS)


def test_the_busy_cpu_was_measured():
    with (ROOT / "benchmarks" / "busy_cpu.csv").open() as file:
        rows = list(csv.DictReader(file))
    seconds = {(r["table"], r["busy"], r["threads"]): float(r["seconds"]) for r in rows}
    cases = ("False", "2"), ("False", "default"), ("True", "default")
    for name in {row["table"] for row in rows}:
        before, quiet, busy = (seconds[name, *case] for case in cases)
        cells = f"{before:.1f} | {quiet:.1f} | {busy:.1f} | {busy / quiet:.1f}"
        assert f"| {name.replace('x', '×')} | {cells} |" in page()


CROSS_VALIDATIONS = (
    r"^\| (\w+), [\d,]+ × [\d,]+ \| ([\w-]+) \| ([\w ]+) \| (\d+) "
    r"\| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$"
)


def test_the_cross_validations_are_those_that_were_measured():
    rows = re.findall(CROSS_VALIDATIONS, page(), re.MULTILINE)
    assert len(rows) >= 2
    for name, method, device, epochs, batch, loop, times in rows:
        on = "cuda" if device == "H200" else "cpu"
        row = newest("cv.csv", table=name, method=method, on=on, epochs=epochs)
        measured = row["batch_seconds"], row["loop_seconds"], row["times"]
        assert measured == (batch, loop, times)


def span(values, digits):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def test_the_answers_are_those_of_the_tables():
    answers, tables = page().split("## Typical tables")

    def numbers(pattern, text=tables):
        return [float(value) for value in re.findall(pattern, text, re.MULTILINE)]

    *small, large = numbers(r"([\d.]+) s,", re.search(r"^\| ipcae \|.*$", tables, re.MULTILINE)[0])
    assert f"{span(small, 1)} seconds for tables of up to 10,000 rows, and {large:.1f}" in answers
    cores, gpu = (
        numbers(rf"^\| \w+, .* \| {device} \| .* \| ([\d.]+) \|$")
        for device in ("two cores", "H200")
    )
    assert f"{span(cores, 1)} times as fast as `GridSearchCV` on two cores" in answers
    assert f"and {span(gpu, 1)} times on a GPU" in answers
    seconds = numbers(r"^\| 10 \| \w+ \| tf32 \| ([\d.]+) \|")
    assert f"take {span(seconds, 2)} seconds for 200 epochs" in answers
    faster = numbers(r"\| (\d+) times")
    assert f"{span(faster, 0)} times faster per run" in answers
    epochs = [
        *numbers(r"^\| ours, [^|]* \| ([\d.]+) \| [\d.]+ \|$"),
        *numbers(r"^\| ours, [^|]* \| [\d.]+ \| ([\d.]+) \|$"),
    ]
    assert f"An epoch is {span(epochs, 1)} times faster" in answers


def test_a_given_number_of_features_was_measured_before_and_after():
    kinds = {
        "three classes, 2,000 × 50": "many rows",
        "three classes, 1,000 × 60": "many classes",
        "three classes, 200 × 13": "three classes",
    }
    section = page().split("### A given number of features")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (.+×.+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", section, re.M)
    assert len(cells) == 8
    for name, *figures in cells:
        wanted = {"table": kinds.get(name, name.split(",")[0]), "k": "5"}
        old, new = (newest("number_search.csv", version=v, **wanted) for v in ("before", "this"))
        same = "selected", "score", "p_value"
        assert [old[column] for column in same] == [new[column] for column in same]
        before, after = (float(row["cpu"]) for row in (old, new))
        assert figures == [f"{before:.1f}", f"{after:.1f}", f"{before / after:.1f}"]
