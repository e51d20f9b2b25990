"""Tables in the output of commands."""

from collections.abc import Iterator, Sequence


def table_lines(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield a line for each row of a table, whose columns are as wide as their longest texts."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
