"""Caches of functions of texts keep no long text."""

import gc
import weakref

import pytest

from stratabase.text_cache import LONGEST_KEPT, cache_short_texts


class Text(str):
    """A text that can be referred to weakly."""

    __slots__ = ("__weakref__",)


@pytest.mark.parametrize(("length", "is_kept"), [(LONGEST_KEPT, True), (LONGEST_KEPT + 1, False)])
def test_only_a_short_text_is_kept(length: int, is_kept: bool) -> None:
    calls: list[tuple[str, int]] = []

    @cache_short_texts(2)
    def count(text: str, times: int) -> int:
        calls.append((text, times))
        return len(text) * times

    text = Text("x" * length)
    assert [count(text, 2), count(text, 2)] == [2 * length] * 2
    assert len(calls) == (1 if is_kept else 2)

    calls.clear()
    alive = weakref.ref(text)
    del text
    gc.collect()
    assert (alive() is not None) is is_kept
