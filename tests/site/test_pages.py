"""The site builds without a warning, and its pages work in a browser without a network."""

import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

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


def test_related_names_are_links(site, pages):
    dead = re.compile(r'<dt><code class="xref py py-obj[^>]*>(?:<[^>]+>)*([^<]+)')
    found = {str(page): dead.findall((site / page).read_text("utf-8")) for page in pages}
    assert {page: names for page, names in found.items() if names} == {}


class QuietHandler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format, *arguments):
        pass


@pytest.fixture(scope="module")
def address(site):
    """Serve the site: Chromium compiles the scripts of files anew for every page."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.slow
def test_pages_have_no_error_and_fit_a_phone(address, pages, browser):
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    problems = {}
    browser.get_log("browser")
    try:
        for page in pages:
            browser.get(f"{address}/{page.as_posix()}")
            width = browser.execute_script("return document.documentElement.scrollWidth")
            errors = [e["message"] for e in browser.get_log("browser") if e["level"] == "SEVERE"]
            if errors or width > 390:
                problems[str(page)] = (width, errors)
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert problems == {}


@pytest.mark.slow
def test_the_search_finds_a_page_without_a_server(site, browser):
    browser.get((site / "search.html").as_uri() + "?q=budget")
    for _ in range(50):
        links = browser.execute_script(
            "return [...document.querySelectorAll('#search-results a')].map(a => a.href)"
        )
        if links:
            break
        browser.execute_async_script("setTimeout(arguments[0], 200)")
    assert any("constraints" in link for link in links)
