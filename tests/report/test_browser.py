"""The page in a browser. Skipped if there is no Chromium."""

import csv
import io
import json

import pytest

from ipcae.cli.live import serving
from ipcae.report.live import LiveCurves
from ipcae.training import EpochReport

COLUMNS = ["rank", "feature", "selected", "importance", "probability", "other_seeds"]
COLUMNS += ["subsamples"]


class Page:
    """An open page, with what a person can do to it."""

    def __init__(self, browser, path):
        self.browser = browser
        browser.get_log("browser"), browser.get_log("performance")
        browser.get(path.as_uri())

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def find(self, css):
        return self.browser.find_element("css selector", css)

    def column(self, number):
        return self.run(
            "return Array.from(document.querySelectorAll('#ranking tbody tr:not([hidden])'),"
            "row => row.cells[arguments[0]].dataset.value ?? row.cells[arguments[0]].textContent)",
            number,
        )

    def sort_by(self, key):
        self.find(f"#ranking th[data-key={key}] button").click()
        return self.find(f"#ranking th[data-key={key}]").get_attribute("aria-sort")

    def copied(self):
        """Press the button, then paste as a person would."""
        self.find("#copy").click()
        self.browser.execute_async_script(
            "const done = arguments[0]; const wait = () => /copied|failed/.test("
            "document.getElementById('status').textContent) ? done() : setTimeout(wait, 20); wait()"
        )
        assert "copied" in self.find("#status").text
        self.run("document.body.append(document.createElement('textarea'))")
        area = self.find("body > textarea")
        area.send_keys("\ue009v\ue000")  # control and V
        text = area.get_property("value")
        self.run("arguments[0].remove()", area)
        return list(csv.reader(io.StringIO(text)))

    def requests(self):
        entries = [json.loads(e["message"])["message"] for e in self.browser.get_log("performance")]
        sent = [e for e in entries if e["method"] == "Network.requestWillBeSent"]
        return [e["params"]["request"]["url"] for e in sent]


@pytest.fixture
def page(browser, written):
    """Open the page; afterwards nothing may be in the console and nothing have been loaded."""
    opened = Page(browser, written)
    yield opened
    assert browser.get_log("browser") == []
    # The browser's own first page may still be loading.
    loaded = [url for url in opened.requests() if not url.startswith(("data:", "chrome:"))]
    assert set(loaded) == {written.as_uri()}


def test_sorting_by_a_column_and_back(page):
    page.find("#others").click()
    assert page.column(0) == [str(rank) for rank in range(1, 13)]
    assert page.sort_by("probability") == "descending"
    values = [float(value) for value in page.column(3)]
    assert values == sorted(values, reverse=True)
    assert page.find("th[data-key=rank]").get_attribute("aria-sort") == "none"
    assert page.sort_by("probability") == "ascending"
    assert [float(value) for value in page.column(3)] == values[::-1]
    # What has no importance comes last, whichever way.
    for order in ("descending", "ascending"):
        assert page.sort_by("importance") == order
        assert [value == "" for value in page.column(2)] == [False] * 3 + [True] * 9
    assert page.sort_by("feature") == "ascending"
    assert page.sort_by("rank") == "ascending"
    assert page.column(0) == [str(rank) for rank in range(1, 13)]


def test_filtering_by_a_name_and_by_selection(page):
    assert len(page.column(1)) == 3
    assert page.find("#status").text == "3 features"
    page.find("#others").click()
    assert len(page.column(1)) == 12
    page.find("#filter").send_keys("ALERT")
    assert page.column(1) == ["<script>alert(1)</script>"]
    assert page.find("#status").text == "1 feature"
    page.find("#filter").send_keys(" nothing like it")
    assert page.column(1) == []


@pytest.mark.parametrize("clipboard", ["own", "missing"])
def test_copying_gives_the_rows_that_are_seen(page, clipboard):
    if clipboard == "missing":
        page.run("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.find("#others").click()
    page.sort_by("other_seeds")
    header, *rows = page.copied()
    assert header == COLUMNS
    assert [row[1].replace("\n", r"\n") for row in rows] == page.column(1)
    assert [row[3] for row in rows] == page.column(2)
    assert sum(row[2] == "True" for row in rows) == 3
    assert {'quote " and, comma', "line\nbreak"} < {row[1] for row in rows}
    page.find("#filter").send_keys("alert")
    assert [row[1] for row in page.copied()[1:]] == ["<script>alert(1)</script>"]


def test_values_under_the_pointer_and_the_keys(page, browser):
    actions = pytest.importorskip("selenium.webdriver").ActionChains
    chart = page.find("#training svg")
    tip = page.find("#training .tip")
    assert not tip.is_displayed()
    page.run("arguments[0].scrollIntoView({block: 'center'})", chart)
    actions(browser).move_to_element(chart).perform()
    assert tip.text.startswith("epoch ")
    assert "validation" in tip.text
    before = tip.text
    page.run("arguments[0].focus()", chart)
    chart.send_keys("\ue014")  # right
    assert tip.text != before
    actions(browser).move_to_element(page.find("#facts summary")).perform()
    chart.send_keys("\ue00c")  # escape
    assert not tip.is_displayed()


@pytest.mark.parametrize("width", [360, 390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_window_and_can_be_read(page, browser, width, scheme):
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        page.run("document.querySelectorAll('details').forEach(part => { part.open = true })")
        wide, inner = page.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide <= inner
        colors = page.run(
            "const style = getComputedStyle(document.body);"
            "return [style.color, style.backgroundColor]"
        )
        ink, paper = (_luminance(color) for color in colors)
        assert (paper < 0.1) == (scheme == "dark")
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) > 7
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def _luminance(color):
    channels = [float(c) / 255 for c in color.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(c * w for c, w in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def test_a_live_page_grows_and_says_when_it_is_finished(browser):
    curves = LiveCurves()
    means = {"train_loss": 0.5, "validation_loss": 0.6, "unique_percentage": 75.0}
    per_run = {name: [value] for name, value in means.items()}

    def text(css, words):
        waiting = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait(browser, 10)
        return waiting.until(
            lambda _: words in (found := browser.find_element("css selector", css).text) and found
        )

    browser.get_log("browser")
    with serving(curves, "table.csv", 0) as address:
        browser.get(address)
        text("#news", "Waiting for the first epoch")
        curves(EpochReport(0, 9, means, 1, runs=(0,), per_run=per_run))
        assert "75 % unique features" in text("#news", "epoch 1 of 9")
        text("#charts", "Loss")
        curves.say("Finished. The report is here.", finished=True)
        text("#news", "Finished.")
        assert browser.find_element("id", "done").get_property("value") == 1
    assert browser.get_log("browser") == []
