"""Self-contained HTML reports about fitted selectors.

A report is a single file that makes no network requests, so it can be sent or archived.
"""

from ipcae.report.feature_lists import list_html
from ipcae.report.write import report_html, write_report

__all__ = ["list_html", "report_html", "write_report"]
