"""Caches of functions of texts keep no long text."""

import gc
import weakref

import pytest

from stratabase.values.text_cache import LONGEST_KEPT, cache_short_texts


class Text(str):
    """A text that can be referred to weakly."""

    __slots__ = ("__weakref__",)


@pytest.mark.parametrize(("length", "is_kept"), [(LONGEST_KEPT, True), (LONGEST_KEPT + 1, False)])
def test_only_a_short_text_is_kept(length: int, is_kept: bool) -> None:
    calls: list[int] = []

    @cache_short_texts(2)
    def count(text: str) -> int:
        calls.append(len(text))
        return 2 * len(text)

    text = Text("x" * length)
    assert [count(text), count(text)] == [2 * length] * 2
    assert len(calls) == (1 if is_kept else 2)

    alive = weakref.ref(text)
    del text
    gc.collect()
    assert (alive() is not None) is is_kept


def test_at_most_so_many_results_are_kept() -> None:
    calls: list[str] = []

    @cache_short_texts(2)
    def note(text: str) -> None:
        calls.append(text)

    for text in ("a", "b", "a", "b", "c", "c", "a"):
        note(text)

    assert calls == ["a", "b", "c", "a"]


def test_an_exception_is_not_kept() -> None:
    @cache_short_texts(2)
    def refuse(text: str) -> None:
        raise ValueError(text)

    for _ in range(2):
        with pytest.raises(ValueError, match="a"):
            refuse("a")
