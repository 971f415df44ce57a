"""The parts of the suite. Each module has ``problems()``, with their sizes, and ``measure``."""

from comparison.parts import (
    common,
    counts,
    further,
    neurofs,
    planted,
    planted_numbers,
    reconstruction,
    regression,
    rows_needed,
    small,
    unusual,
)

PARTS = {
    "small": small,
    "neurofs": neurofs,
    "planted": planted,
    "counts": counts,
    "common": common,
    "unusual": unusual,
    "further": further,
    "rows": rows_needed,
    "regression": regression,
    "planted-numbers": planted_numbers,
    "reconstruction": reconstruction,
}
