"""A cache holds entries up to a total weight."""

from stratabase.core.schema.execution.cache import BoundedCache


def test_the_entry_that_was_not_used_for_longest_makes_room() -> None:
    cache: BoundedCache[str, str] = BoundedCache(10, lambda key, value: len(key) + len(value))
    cache.put("a", "1234")
    cache.put("b", "1234")
    cache.get("a")

    cache.put("c", "1")

    assert [cache.get(key) for key in "abc"] == ["1234", None, "1"]


def test_a_replaced_value_no_longer_counts() -> None:
    cache: BoundedCache[str, str] = BoundedCache(10, lambda key, value: len(key) + len(value))
    cache.put("a", "12345678")
    cache.put("a", "1")

    cache.put("b", "12345678")

    assert cache.get("b") == "12345678"
    assert cache.get("a") is None
    cache.put("a", "")
    assert cache.get("b") == "12345678"


def test_an_entry_that_is_too_heavy_is_not_kept() -> None:
    cache: BoundedCache[str, str] = BoundedCache(10, lambda _, value: len(value))
    cache.put("a", "1")

    assert cache.put("b", "x" * 11) == "x" * 11
    assert cache.get("b") is None
