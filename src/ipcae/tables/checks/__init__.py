"""Checks of a table, which name the columns at fault."""
