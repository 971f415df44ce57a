"""Details of the predictions by task.

For a task without details here, the report contains only the metrics. Other packages can add
details with ``draw_details.register``.
"""

from ipcae.report.details import classification, reconstruction, regression, survival
from ipcae.report.details.dispatch import draw_details

__all__ = ["classification", "draw_details", "reconstruction", "regression", "survival"]
