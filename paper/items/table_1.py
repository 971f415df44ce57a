"""Table 1: reconstruction error."""

from paper.items import main_table
from paper.items.base import Item
from paper.protocol import RECONSTRUCTION

ITEM = Item(
    name="table-1",
    title="Table 1: reconstruction error",
    caption="‖x − x̂‖₂ / D on the test rows, K = 50 (10 for Mice Protein).",
    cells=lambda protocol: main_table.cells_of(protocol, RECONSTRUCTION),
    table=lambda protocol, results: main_table.report(protocol, results, RECONSTRUCTION),
    status=lambda protocol, results: main_table.tally(protocol, results, RECONSTRUCTION),
)
