"""All items, in the order in which they are run."""

from paper.items import table_1, table_2
from paper.items.base import Item

ITEMS: dict[str, Item] = {module.ITEM.name: module.ITEM for module in (table_1, table_2)}

__all__ = ["ITEMS", "Item"]
