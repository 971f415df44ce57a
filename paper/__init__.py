"""Reproduction of every table and figure of the paper with the public API of ipcae.

python -m paper list | run ITEM | show ITEM | readme | pack FOLDER
"""
