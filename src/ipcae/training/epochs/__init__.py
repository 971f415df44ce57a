"""The steps of an epoch, and the ways to run them: eager, traced, captured, or spread."""
