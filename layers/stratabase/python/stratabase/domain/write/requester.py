"""The object and the role of a request by which something is asked of others."""

from typing import NamedTuple

from stratabase.domain.issue import Issue, IssueType, Path
from stratabase.domain.objects.entity import Reference
from stratabase.domain.subject import Subject
from stratabase.model.malformed import shown


class Requester(NamedTuple):
    """An object, and the role of it by which something is asked."""

    subject: Subject
    role: str

    @property
    def path(self) -> Path:
        """Where the request asks."""
        return (*self.subject.path, self.role)

    def issue(self, type_: IssueType, message: str, place: Path = ()) -> Issue:
        """Return an issue about the role, or about what is asked of it at a place."""
        text = f"{self.subject.class_.name}.{self.role}: {message}"
        return self.subject.role_issue(type_, text, self.role, place)

    def contradiction_issue(self, message: str) -> Issue:
        """Return the issue of what cannot be asked at once."""
        return self.issue(IssueType.MALFORMED_REQUEST, message)

    def cardinality_issue(self, message: str, place: Path = ()) -> Issue:
        """Return the issue of too few or too many."""
        return self.issue(IssueType.ROLE_CARDINALITY, message, place)

    def not_found_issue(self, reference: Reference) -> Issue:
        """Return the issue of an object that is named and not there."""
        return self.issue(IssueType.ENTITY_NOT_FOUND, f"there is no {describe_object(reference)}")

    def no_longer_found_issue(self, reference: Reference) -> Issue:
        """Return the issue of an object that came to be led to again, and is not there any more."""
        return self.issue(IssueType.ENTITY_NOT_FOUND, f"there is no {describe_object(reference)} any more")

    def deleted_by_request_issue(self, reference: Reference) -> Issue:
        """Return the issue of an object that is named, and deleted by the same request."""
        return self.issue(
            IssueType.ENTITY_NOT_FOUND, f"the same request deletes {describe_object(reference)}"
        )


def describe_object(reference: Reference) -> str:
    """Return an object as a message names it."""
    return f"{reference.class_name} with _id {shown(reference.id)}"
