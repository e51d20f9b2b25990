"""Exceptions that end a request, with the data that the client needs, and hints for costly queries."""

from collections.abc import Iterable, Iterator

from stratabase.core.domain.issues.issue import Issue
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _, and_list, ngettext, sentences


@frozen
class Hint:
    """Advice on how to make a query cheaper, for clients and for those who maintain the model."""

    index: tuple[str, ...] = ()
    """The attributes of an index that would help; empty if no index would."""
    declared: bool = False
    """Whether the model already declares that index, but it is not built yet."""
    costly: tuple[str, ...] = ()
    """The options of the request that read many objects, such as `totalCount` and `offset`."""
    derived: tuple[str, ...] = ()
    """The derived attributes of the query, which are in no index."""
    roles: tuple[str, ...] = ()
    """The roles that the query filters by."""
    shared: bool = False
    """Whether the same request has read other objects before."""
    index_class: str | None = None
    """The class of the index, if it is another class, to which a role leads."""
    compares: bool = False
    """Whether comparing long texts has taken most of the time. Then no index would help."""
    estimated: bool = False
    """Whether nothing was read, because the same request had reached the limit a short time before."""

    @property
    def message(self) -> Message:
        """All advice as one message. To follow one piece of advice may be enough."""
        advice = [*self._advice()]
        return (
            advice[0] if len(advice) == 1 else _("Try one of the following. {hints}", hints=sentences(advice))
        )

    def _advice(self) -> Iterator[Message]:
        if self.compares:
            yield _(
                "Search long texts by fewer conditions, or also filter by other attributes: comparing the "
                "texts took most of the time."
            )
            return
        if self.index:
            yield self._with_index()
        if self.costly:
            yield _("Omit {options}.", options=and_list(self.costly))
        if self.derived:
            yield _(
                "Also filter by stored attributes. Derived attributes, such as {attributes}, aren't indexed.",
                attributes=and_list(self.derived),
            )
        if self.roles:
            yield _(
                "Also filter by stored attributes. Filters on roles, such as {roles}, are tested object by "
                "object.",
                roles=and_list(self.roles),
            )
        if self.shared:
            yield _("Request less data in each request.")
        elif not (self.index or self.costly or self.derived or self.roles):
            yield _("Narrow the filter, or request fewer objects at a time.")

    def _with_index(self) -> Message:
        names = ", ".join(f'"{name}"' for name in self.index)
        index = f"@index(attributes: [{names}])"
        if self.index_class is not None:
            index = f"{index} ({self.index_class})"
        if self.declared:
            return _("Run `stratabase reindex` to build {index}.", index=index)
        return _("Declare {index} in the model.", index=index)


_DEFAULT_HINT = Hint(shared=True)


class Refusal(Exception):
    """A request that is not carried out. `message` is for the client."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class Refused(Refusal):
    """A GraphQL service refuses a request and reports all issues that it found.

    `has_written`: the service has written nevertheless, and the issues say what.
    """

    def __init__(self, issues: Iterable[Issue], *, has_written: bool = False) -> None:
        self.issues = tuple(issues)
        self.has_written = has_written
        super().__init__(sentences(issue.message for issue in self.issues))


class Unfinished(Refused):
    """A service has stopped before its end, and continues if the request is sent again.

    `cause`: the exception that stopped it, None if it has reached its time limit.
    """

    def __init__(self, issues: Iterable[Issue], cause: Exception | None = None) -> None:
        super().__init__(issues)
        self.cause = cause


class Unauthenticated(Refusal):
    """The request has no credentials, or wrong ones."""


class Forbidden(Refusal):
    """The caller is known, but is not permitted to do this."""


class NotFound(Refusal):
    """What the request is about does not exist, or the caller may not know of it."""


class Conflicting(Refusal):
    """The request contradicts the present state, such as the values of others."""


class TooManyRequests(Refusal):
    """The client or the member does something too often, or too much of it."""

    def __init__(self, message: Message, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds."""


class Unavailable(Refusal):
    """The store is too busy, or cannot tell whether it has written. The client may try again later."""

    def __init__(self, message: Message, retry_after: int = 1, *, may_have_written: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds."""
        self.may_have_written = may_have_written
        """Whether some or all of the request may have been done. Then the message says so."""


class StoreBusy(Unavailable):
    """All attempts of a call to a store have failed, which a later call may not."""

    def __init__(self, *, may_have_written: bool = False) -> None:
        if may_have_written:
            message = _(
                "The store did not respond, so the data might not have been saved. "
                "Check the data before you try again."
            )
            super().__init__(message, retry_after=5, may_have_written=True)
        else:
            super().__init__(_("The store is too busy. Try again."))


def store_unavailable() -> Unavailable:
    """Return the exception for a store that does not answer as it should. A later call may succeed."""
    return Unavailable(_("The store is temporarily unavailable. Try again later."), retry_after=5)


class StoreOutOfService(Unavailable):
    """The store can't be used until a person has done something, so that a retry alone doesn't help.

    The text is for the operator: what is wrong, where, what to do. Clients get a message without it.
    """

    def __init__(self, text: str) -> None:
        super().__init__(store_unavailable().message, retry_after=30)
        self.text = text

    def __str__(self) -> str:
        """Return the text for the operator."""
        return self.text


class StoreFull(StoreOutOfService):
    """The store has no space left."""

    def __init__(self, place: str) -> None:
        """`place`: the file or folder that can't grow."""
        super().__init__(f"{place}: database or disk is full. Make room, and try again.")
        self.place = place


class ReadBudgetExceeded(Refusal):
    """A request reached its read budget before its result was complete.

    The hint says how to make the request cheaper.
    """

    def __init__(self, class_name: str | None, objects_read: int = 0, hint: Hint = _DEFAULT_HINT) -> None:
        self.class_name = class_name
        """The class whose objects were read; None if the caller must not learn it."""
        self.objects_read = objects_read
        """The number of objects read for this result; 0 if earlier reads had used up the budget."""
        self.hint = hint
        explanation = sentences([self._reason(), hint.message])
        super().__init__(
            explanation
            if class_name is None
            else _("{class_name}: {explanation}", class_name=class_name, explanation=explanation)
        )

    def _reason(self) -> Message:
        if self.hint.estimated:
            return ngettext(
                "Nothing was read: a short time ago, the same request reached its read limit after {count} "
                "object.",
                "Nothing was read: a short time ago, the same request reached its read limit after {count} "
                "objects.",
                self.objects_read,
            )
        if not self.objects_read:
            return _("The request reached its read limit before it read these objects.")
        return ngettext(
            "The request reached its read limit after {count} object, before the result was complete.",
            "The request reached its read limit after {count} objects, before the result was complete.",
            self.objects_read,
        )


class FileNotFound(NotFound):
    """The class, the attribute, the object or its file does not exist, or the caller may not know of it."""


class PendingFileGone(Refusal):
    """The caller has no pending file with this ID: it was bound, it has expired, or it never existed."""


class FileTooLarge(Refusal):
    """The file exceeds the limit of its attribute, or that of the instance."""


class FileTypeNotAllowed(Refusal):
    """The attribute does not accept files of this type."""


class TooMuchPending(TooManyRequests):
    """The member has too many pending files, or too many bytes in them."""


class OffsetConflict(Conflicting):
    """The bytes do not continue a resumable upload: they are for another offset than the present one."""
