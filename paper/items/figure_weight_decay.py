"""CAE with weight decay."""

from paper.items import modified_training

ITEM = modified_training.item(
    name="figure-weight-decay",
    title="Figure: weight decay",
    caption="Reconstruction on ISOLET with CAE and weight decay (L2, as in Adam).",
    setting="weight_decay",
    values=lambda protocol: protocol.weight_decays,
    label="weight decay {:g}",
)
