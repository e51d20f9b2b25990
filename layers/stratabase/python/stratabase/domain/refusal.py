"""The one tree of refusals: why a request is not done, with what its sender needs to know."""

from collections.abc import Iterable

from stratabase.domain.issue import Issue


class Refusal(Exception):
    """A request that is not done. The text is for the client."""


class Refused(Refusal):
    """A GraphQL service refuses, with all the issues that it found."""

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues = tuple(issues)
        super().__init__("; ".join(issue.message for issue in self.issues))


class Unauthenticated(Refusal):
    """No credentials, or wrong ones."""


class Forbidden(Refusal):
    """The caller is known, and may not do this."""


class Unavailable(Refusal):
    """The store is too busy, or does not know whether it wrote; the client may try again later."""

    def __init__(self, text: str, retry_after: int = 1) -> None:
        super().__init__(text)
        self.retry_after = retry_after
        """Seconds."""


class TooMuchRead(Refusal):
    """A page is not found within the budget of what may be read for it; says what would make it cheap."""

    def __init__(self, class_name: str, read: int, index: tuple[str, ...], costly: tuple[str, ...]) -> None:
        self.class_name = class_name
        self.read = read
        """How many objects were read."""
        self.index = index
        """The attributes of the index that is missing; none where no index would help."""
        self.costly = costly
        """What was asked for that takes reading many objects: `totalCount`, `offset`."""
        super().__init__(f"{class_name}: {read:,} objects were read, and that is not all: {self._advice()}")

    def _advice(self) -> str:
        names = ", ".join(f'"{name}"' for name in self.index)
        declare = [f"declare @index(attributes: [{names}]) in the model"] if names else []
        leave = [f"ask without {' and '.join(self.costly)}"] if self.costly else []
        return ", or ".join([*declare, *leave]) or "narrow the filter"
