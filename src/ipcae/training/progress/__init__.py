"""Callbacks, progress bars, and Ctrl-C."""
