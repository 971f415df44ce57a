"""Saving and loading of fitted selectors as safetensors files, which contain no code."""

from ipcae.files.selector_file import StoredSelector, not_understood, read_stored, save, to_bytes

__all__ = ["StoredSelector", "not_understood", "read_stored", "save", "to_bytes"]
