"""Trace a function of tensors, and replay its operations without the overhead of Python.

``recording`` records the ``operations`` of a call, ``simplification`` simplifies them, and ``flat``
compiles them to one function.
"""
