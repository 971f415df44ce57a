"""All items in the order in which they run; a shared cell is stored with the first item."""

from paper.items import (
    data_sets,
    extended_training,
    figure_convergence_p,
    figure_decoder_depth,
    figure_instability,
    figure_parametrizations,
    figure_training_curves,
    figure_update_norms,
    figure_varying_k,
    figure_varying_p,
    figure_warm_up,
    figure_weight_decay,
    gjsd_settings,
    run_time,
    speed_up,
    table_1,
    table_2,
)
from paper.items.base import Item

MODULES = (
    table_1,
    table_2,
    speed_up,
    data_sets,
    gjsd_settings,
    extended_training,
    run_time,
    figure_instability,
    figure_training_curves,
    figure_parametrizations,
    figure_varying_p,
    figure_convergence_p,
    figure_varying_k,
    figure_decoder_depth,
    figure_warm_up,
    figure_weight_decay,
    figure_update_norms,
)
ITEMS: dict[str, Item] = {module.ITEM.name: module.ITEM for module in MODULES}

__all__ = ["ITEMS", "Item"]
