"""Writing files atomically, locking folders, and refusing devices and pipes."""
