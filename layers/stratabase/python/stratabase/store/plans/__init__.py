"""The plans that find the matches of a window, and how one is chosen."""

from stratabase.store.plans.choice import Candidate, Source, candidates, chosen
from stratabase.store.plans.plan import Plan

__all__ = ["Candidate", "Plan", "Source", "candidates", "chosen"]
