"""One HTML page that says what a selector did: tables, curves and figures, without a network.

The page is a single file of a few hundred kilobytes. It needs nothing but a browser, asks no
server for anything, and can be mailed or archived as it is.
"""

from ipcae.report.write import report_html, write_report

__all__ = ["report_html", "write_report"]
