"""Sort keys, and all bounds of ranges over them."""

from stratabase.core.store.engine.port import Bounds

SORTS = ["a", "b", "ba", "c", "d"]
BOUNDS = [
    Bounds(low, high, low_included, high_included)
    for low in (None, "b", "bb", "d", "z")
    for high in (None, "a", "b", "c", "cc")
    for low_included in (True, False)
    for high_included in (True, False)
]


def within(sort: str, bounds: Bounds) -> bool:
    low, high, low_included, high_included = bounds
    above = low is None or sort > low or (low_included and sort == low)
    return above and (high is None or sort < high or (high_included and sort == high))
