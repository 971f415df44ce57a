"""The parts of ``benchmarks/suite.py``: problems, methods, evaluation models, cells and tables.

A *cell* is one selection: part, problem, method, K, split. A *part* is a file in ``parts/`` that
lists its problems and measures a cell. A rival is a file in ``rivals/``.
"""
