"""Table 2: classification accuracy."""

from paper.items import main_table
from paper.items.base import Item
from paper.protocol import CLASSIFICATION

ITEM = Item(
    name="table-2",
    title="Table 2: classification accuracy",
    caption="Top-1 accuracy on the test rows, K = 50 (10 for Mice Protein).",
    cells=lambda protocol: main_table.cells_of(protocol, CLASSIFICATION),
    table=lambda protocol, results: main_table.report(protocol, results, CLASSIFICATION),
    status=lambda protocol, results: main_table.tally(protocol, results, CLASSIFICATION),
)
