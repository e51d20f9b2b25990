"""The plans that find the matches of a window, the cheapest first."""

from stratabase.store.plans.plan import Plan
from stratabase.store.plans.scanned import Scanned
from stratabase.store.plans.streamed import Streamed

PLANS: tuple[type[Plan], ...] = (Streamed, Scanned)
"""The first that serves a query finds its page; the last one serves every query."""

__all__ = ["PLANS", "Plan"]
