"""``python -m ipcae``, also as ``torchrun --nproc-per-node 2 -m ipcae``."""

from ipcae.cli import main

if __name__ == "__main__":
    main()
