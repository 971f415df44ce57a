"""The commands: their arguments and options, as ``--help`` shows them.

The functions import what they run when they are called, so that ``--help`` is fast.
"""
