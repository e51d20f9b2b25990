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
