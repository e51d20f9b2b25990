"""Markdown: paragraphs, tables and numbers."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

from benchmarks.costs.prices import MILLION

WIDTH = 118
_WHOLE_WORDS: Mapping[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
_ITEM = re.compile(r"\n(?=- )")


def wrapped(text: str) -> str:
    """Return a text whose paragraphs and items are wrapped. Headings and rows of tables stay as they are."""
    return "\n\n".join(map(_wrapped_block, text.split("\n\n")))


def _wrapped_block(block: str) -> str:
    core = block.strip("\n")
    start, end = block.split(core) if core else (block, "")
    if core.startswith(("#", "|", "<!--")):
        return block
    items = _ITEM.split(core)
    indent = "  " if core.startswith("- ") else ""
    lines = (fill(" ".join(item.split()), WIDTH, subsequent_indent=indent, **_WHOLE_WORDS) for item in items)
    return start + "\n".join(lines) + end


def table(names: Sequence[str], rows: Iterable[Sequence[str]], last: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of a table. The first column is text, the others are numbers."""
    columns = (*names, *last)
    yield "| " + " | ".join(columns) + " |"
    yield "|---|" + "---:|" * (len(columns) - 1)
    for row in rows:
        assert len(row) == len(columns), row
        yield "| " + " | ".join(row) + " |"


def quantity(per: float, unit: str) -> str:
    """Return for how many units a price is."""
    if per == MILLION:
        return f"a million {unit}"
    return unit if per == 1 else f"{per:,.0f} {unit}"


def exact(amount: float) -> str:
    """Return a price with all of its decimals, and with two at least."""
    exact = f"{amount:.10f}".rstrip("0")
    return exact if len(exact.partition(".")[2]) > 2 else f"{amount:.2f}"


def money(amount: float) -> str:
    """Return an amount of money as text."""
    return f"{amount:,.0f}" if amount >= 1000 else f"{amount:.2f}"


def rounded(count: float) -> str:
    """Return a number with two significant digits."""
    return f"{float(f'{count:.2g}'):,.0f}"
