"""Table 2: classification accuracy."""

from paper.items import main_table
from paper.protocol import CLASSIFICATION

ITEM = main_table.item(2, CLASSIFICATION, "classification accuracy", "Top-1 accuracy")
