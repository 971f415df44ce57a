"""Trainings in several threads, and how many of them."""
