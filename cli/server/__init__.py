"""Serving on this machine: one process that watches, and one after the other that answers."""
