"""Table 1: reconstruction error."""

from paper.items import main_table
from paper.protocol import RECONSTRUCTION

ITEM = main_table.item(1, RECONSTRUCTION, "reconstruction error", "‖x − x̂‖₂ / D")
