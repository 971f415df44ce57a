"""CAE with a warm-up of the learning rate."""

from paper.items import modified_training

ITEM = modified_training.item(
    name="figure-warm-up",
    title="Figure: learning-rate warm-up",
    caption=(
        "Reconstruction on ISOLET with CAE; the learning rate rises linearly from 1e-6 to 1e-3 "
        "over the first epochs."
    ),
    setting="warm_up_epochs",
    values=lambda protocol: protocol.warm_up_epochs,
    label="warm-up of {} epochs",
)
