"""The first of many issues: so many as a client can go through, and how many others there were."""

from collections.abc import Sequence

from stratabase.domain.issue import Issue

MOST = 100


class FirstIssues:
    """Issues that are found one after the other."""

    def __init__(self) -> None:
        self.told: list[Issue] = []
        self.count = 0
        """Of all that were found."""

    def add(self, issues: Sequence[Issue]) -> None:
        """Note issues; those for which there is no room are counted only."""
        self.told += issues[: MOST - len(self.told)]
        self.count += len(issues)

    @property
    def is_cut(self) -> bool:
        """Whether some are not told."""
        return self.count > MOST

    def __str__(self) -> str:
        """Return what a message says of issues that are not told."""
        return f"{MOST} of {self.count:,} issues are told here: {self.count - MOST:,} more were found"
