"""What the predictions of each task look like: one module per task.

A task without a module here shows only its metrics; another package can add one with
``draw_details.register``.
"""

from ipcae.report.details import classification, multilabel, reconstruction, regression
from ipcae.report.details.dispatch import draw_details

__all__ = ["classification", "draw_details", "multilabel", "reconstruction", "regression"]
