"""Trace a function of tensors, and replay its operations without the overhead of Python.

``recording`` records the ``operations`` of a call, ``views`` and ``constants`` simplify them, and
``flat`` compiles them to one function.
"""
