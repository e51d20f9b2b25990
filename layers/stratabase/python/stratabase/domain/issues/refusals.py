"""Exceptions that end a request, each with what its sender needs to know, and hints for costly queries."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stratabase.domain.issues.issue import Issue
from stratabase.wording import pluralize, was_or_were


@dataclass(frozen=True, slots=True)
class Hint:
    """What those who keep the model, or those who ask, can do about it."""

    index: tuple[str, ...] = ()
    """The attributes of the index that is missing; none where no index would help."""
    declared: bool = False
    """The model has that index already, and it is still to be filled."""
    costly: tuple[str, ...] = ()
    """What was asked for that takes reading many objects: `totalCount`, `offset`."""
    derived: tuple[str, ...] = ()
    """The derived attributes that were asked for: they are in no index."""
    shared: bool = False
    """The same request has read other things before."""

    def __str__(self) -> str:
        return ", or ".join(self._ways())

    def _ways(self) -> Iterator[str]:
        if self.index:
            yield self._with_index()
        if self.costly:
            yield f"ask without {' and '.join(self.costly)}"
        if self.derived:
            yield self._with_kept()
        if self.shared:
            yield "ask for less in one request"
        elif not self.index and not self.costly and not self.derived:
            yield "narrow the filter, or ask for fewer objects at a time"

    def _with_index(self) -> str:
        names = ", ".join(f'"{name}"' for name in self.index)
        index = f"@index(attributes: [{names}])"
        return f'fill {index} with "stratabase reindex"' if self.declared else f"declare {index} in the model"

    def _with_kept(self) -> str:
        names = " and ".join(f'"{name}"' for name in self.derived)
        them = "is derived, so it is" if len(self.derived) == 1 else "are derived, so they are"
        return f"filter by stored attributes as well, since {names} {them} in no index"


_ASK_FOR_LESS = Hint(shared=True)


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


class TooManyFailures(Refusal):
    """Too many wrong passwords came for one username from one address."""

    def __init__(self, retry_after: int) -> None:
        seconds = "a second" if retry_after == 1 else f"{retry_after} seconds"
        super().__init__(f"Too many wrong passwords; try again in {seconds}.")
        self.retry_after = retry_after
        """Seconds."""


class Unavailable(Refusal):
    """The store is too busy, or does not know whether it wrote; the client may try again later."""

    def __init__(self, text: str, retry_after: int = 1) -> None:
        super().__init__(text)
        self.retry_after = retry_after
        """Seconds."""


class TooMuchRead(Refusal):
    """What is asked for is not found within what a request may read; says what would make it cheap."""

    def __init__(self, class_name: str, objects_read: int = 0, hint: Hint = _ASK_FOR_LESS) -> None:
        self.class_name = class_name
        self.objects_read = objects_read
        """How many objects were read for this; none when all was used up before."""
        self.hint = hint
        super().__init__(f"{class_name}: {self._reason()}: {hint}")

    def _reason(self) -> str:
        if not self.objects_read:
            return "the request has read as much as it may before it came to this"
        read = self.objects_read
        return f"{pluralize(read, 'object')} {was_or_were(read)} read, and that is not all"
