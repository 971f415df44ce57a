"""One HTML page about a fitted selector: tables, curves and figures.

The page is a single file that makes no network requests, so it can be mailed or archived as it is.
"""

from ipcae.report.write import report_html, write_report

__all__ = ["report_html", "write_report"]
