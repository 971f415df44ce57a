"""The options of a selection, parsed and checked."""
