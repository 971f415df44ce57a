"""The site builds without a warning, and its pages work in a browser without a network."""

import re

import pytest

import ipcae


@pytest.fixture(scope="module")
def pages(site):
    paths = (path.relative_to(site) for path in site.rglob("*.html"))
    return sorted(path for path in paths if path.parts[0] != "_static")


def test_every_public_name_has_a_page(site):
    missing = [
        name
        for name in ipcae.__all__
        if not (site / "api" / "generated" / f"ipcae.{name}.html").exists()
    ]
    assert missing == ["__version__"]


def test_nothing_is_loaded_from_elsewhere(site, pages):
    loads = re.compile(r'<(?:script|link|img)[^>]+(?:src|href)="https?://(?P<host>[^/"]+)')
    hosts = {m["host"] for page in pages for m in loads.finditer((site / page).read_text("utf-8"))}
    assert hosts == set()


@pytest.mark.slow
def test_pages_have_no_error_and_fit_a_phone(site, pages, browser):
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    problems = {}
    try:
        for page in pages:
            browser.get_log("browser")
            browser.get((site / page).as_uri())
            width = browser.execute_script("return document.documentElement.scrollWidth")
            errors = [e["message"] for e in browser.get_log("browser") if e["level"] == "SEVERE"]
            if errors or width > 390:
                problems[str(page)] = (width, errors)
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert problems == {}


@pytest.mark.slow
def test_the_search_finds_a_page(site, browser):
    browser.get((site / "search.html").as_uri() + "?q=budget")
    for _ in range(50):
        links = browser.execute_script(
            "return [...document.querySelectorAll('#search-results a')].map(a => a.href)"
        )
        if links:
            break
        browser.execute_async_script("setTimeout(arguments[0], 200)")
    assert any("constraints" in link for link in links)
