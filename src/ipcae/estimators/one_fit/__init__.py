"""One fit, step by step: settings, table, method, problem, fitted attributes.

In reading order: ``fitting`` calls the steps. ``settings`` checks the arguments of an estimator,
with one function per argument in ``arguments``; ``table`` reads X and y; ``problem`` splits and
scales the rows and states what a method solves.

The steps use ``default_method`` if no method was given, ``streaming`` for tables that are read in
parts, ``encoding`` for columns that are not numbers, ``class_weights``, ``avoided`` for constant
columns and copies, ``far_targets`` for a warning about outliers, and ``memory`` for an estimate of
what a fit needs.
"""
