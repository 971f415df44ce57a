"""Warnings about the rows and columns of the table of a command."""
