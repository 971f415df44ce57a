"""Details of the predictions, one module per task.

For a task without a module here, the report contains only the metrics. Other packages can add
details with ``draw_details.register``.
"""

from ipcae.report.details import (
    classification,
    multilabel,
    panel,
    reconstruction,
    regression,
    survival,
)
from ipcae.report.details.dispatch import draw_details

__all__ = [
    "classification",
    "draw_details",
    "multilabel",
    "panel",
    "reconstruction",
    "regression",
    "survival",
]
