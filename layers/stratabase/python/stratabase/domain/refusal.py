"""The one tree of refusals: why a request is not done, with what its sender needs to know."""

from collections.abc import Iterable

from stratabase.domain.issue import Issue
from stratabase.domain.remedy import Remedy
from stratabase.wording import pluralize, was_or_were

_ASK_FOR_LESS = Remedy(shared=True)


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

    def __init__(self, class_name: str, read: int = 0, remedy: Remedy = _ASK_FOR_LESS) -> None:
        self.class_name = class_name
        self.read = read
        """How many objects were read for this; none when all was used up before."""
        self.remedy = remedy
        super().__init__(f"{class_name}: {self._reason()}: {remedy}")

    def _reason(self) -> str:
        if not self.read:
            return "the request has read as much as it may before it came to this"
        return f"{pluralize(self.read, 'object')} {was_or_were(self.read)} read, and that is not all"
