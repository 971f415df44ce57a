"""Saving a fitted selector and loading it again: one safetensors file, and no code in it."""

from ipcae.files.selector_file import load, save, to_bytes

__all__ = ["load", "save", "to_bytes"]
