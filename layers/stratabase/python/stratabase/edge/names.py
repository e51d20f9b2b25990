"""Names that came with a request, shown in the text of a refusal."""

from collections.abc import Sequence

_LONGEST = 40
_MOST = 8


def shown(name: str, quotes: str = '"') -> str:
    """Return a name in quotes, cut when it is too long to be one."""
    return f"{quotes}{name[:_LONGEST]}{'…' if len(name) > _LONGEST else ''}{quotes}"


def some(names: Sequence[str]) -> str:
    """Return names as a list in words, not all of them when there are many."""
    listed = ", ".join(shown(name) for name in names[:_MOST])
    left = len(names) - _MOST
    return f"{listed} and {left:,} more" if left > 0 else listed
