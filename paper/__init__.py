"""The paper, reproduced: every table and every figure, with the public API of ipcae.

python -m paper list | run ITEM | show ITEM | readme
"""
