"""Exceptions that end a request, each with what its sender needs to know, and hints for costly queries."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stratabase.domain.issues.issue import Issue
from stratabase.messages import Message, _, and_list, ngettext, sentences


@dataclass(frozen=True, slots=True)
class Hint:
    """What those who keep the model, or those who ask, can do about it."""

    index: tuple[str, ...] = ()
    """The attributes of the index that is missing; none where no index would help."""
    declared: bool = False
    """The model has that index already, and it is still to be filled."""
    costly: tuple[str, ...] = ()
    """What was asked for that takes reading many objects: `totalCount`, `offset`, or a `Message`."""
    derived: tuple[str, ...] = ()
    """The derived attributes that were asked for: they are in no index."""
    shared: bool = False
    """The same request has read other things before."""

    @property
    def message(self) -> Message:
        """All that can be done, of which one thing may be enough."""
        ways = [*self._ways()]
        return ways[0] if len(ways) == 1 else _("Try one of the following. {hints}", hints=sentences(ways))

    def _ways(self) -> Iterator[Message]:
        if self.index:
            yield self._with_index()
        if self.costly:
            yield _("Omit {options}.", options=and_list(self.costly))
        if self.derived:
            yield _(
                "Also filter by stored attributes. Derived attributes, such as {attributes}, aren't indexed.",
                attributes=and_list(self.derived),
            )
        if self.shared:
            yield _("Request less data in each request.")
        elif not self.index and not self.costly and not self.derived:
            yield _("Narrow the filter, or request fewer objects at a time.")

    def _with_index(self) -> Message:
        names = ", ".join(f'"{name}"' for name in self.index)
        index = f"@index(attributes: [{names}])"
        if self.declared:
            return _("Run `stratabase reindex` to build {index}.", index=index)
        return _("Declare {index} in the model.", index=index)


_ASK_FOR_LESS = Hint(shared=True)


class Refusal(Exception):
    """A request that is not done. `message` is for the client."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class Refused(Refusal):
    """A GraphQL service refuses, with all the issues that it found."""

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues = tuple(issues)
        super().__init__(sentences(issue.message for issue in self.issues))


class Unauthenticated(Refusal):
    """No credentials, or wrong ones."""


class Forbidden(Refusal):
    """The caller is known, and may not do this."""


class TooManyFailures(Refusal):
    """Too many wrong passwords came for one username from one address."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(
            ngettext(
                "Too many failed sign-in attempts. Try again in {count} second.",
                "Too many failed sign-in attempts. Try again in {count} seconds.",
                retry_after,
            )
        )
        self.retry_after = retry_after
        """Seconds."""


class Unavailable(Refusal):
    """The store is too busy, or does not know whether it wrote; the client may try again later."""

    def __init__(self, message: Message, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds."""


class ReadBudgetExceeded(Refusal):
    """What is asked for is not found within what a request may read; says what would make it cheap."""

    def __init__(self, class_name: str, objects_read: int = 0, hint: Hint = _ASK_FOR_LESS) -> None:
        self.class_name = class_name
        self.objects_read = objects_read
        """How many objects were read for this; none when all was used up before."""
        self.hint = hint
        explanation = sentences([self._reason(), hint.message])
        super().__init__(_("{class_name}: {explanation}", class_name=class_name, explanation=explanation))

    def _reason(self) -> Message:
        if not self.objects_read:
            return _("The request reached its read limit before it read these objects.")
        return ngettext(
            "The request reached its read limit after {count} object, before the result was complete.",
            "The request reached its read limit after {count} objects, before the result was complete.",
            self.objects_read,
        )
