"""Statistics of columns that rankings are computed from."""
