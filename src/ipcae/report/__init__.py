"""Self-contained HTML reports about fitted selectors.

A report is a single file that makes no network requests, so it can be sent or archived.

In reading order: ``write`` collects the ``findings``, among them a ``comparison`` with other
features (``set_decoders``) and their ``correlation``. ``summary`` is the top of the page,
``contents`` lists its ``sections``, with ``details`` of the task and ``charts``, and ``templates``
renders them.

``feature_lists`` is the page of given lists (``list_texts``), and ``live`` that of a training in
progress.
"""

from ipcae.report.feature_lists import list_html
from ipcae.report.write import report_html, write_report

__all__ = ["list_html", "report_html", "write_report"]
