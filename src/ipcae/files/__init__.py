"""Fitted selectors in files: one safetensors file each, without any code in it."""

from ipcae.files.selector_file import StoredSelector, not_understood, read_stored, save, to_bytes

__all__ = ["StoredSelector", "not_understood", "read_stored", "save", "to_bytes"]
