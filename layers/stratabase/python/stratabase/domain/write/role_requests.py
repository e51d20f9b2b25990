"""What a request asks of one key or of one link, from either side."""

from dataclasses import dataclass, field
from typing import NamedTuple

from stratabase.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.domain.objects.entity import Reference, RoleName, describe_object
from stratabase.messages import Message, _


class Requester(NamedTuple):
    """An object, and the role of it by which something is asked."""

    subject: Subject
    role: str

    @property
    def path(self) -> Path:
        """Where the request asks."""
        return (*self.subject.path, self.role)

    @property
    def name(self) -> RoleName:
        """What identifies the role."""
        return RoleName(self.subject.class_.name, self.role)

    def issue(self, type_: IssueType, message: Message, place: Path = ()) -> Issue:
        """Return an issue about the role, or about what is asked of it at a place."""
        return self.subject.role_issue(
            type_, _("{role}: {message}", role=str(self.name), message=message), self.role, place
        )

    def contradiction_issue(self, message: Message) -> Issue:
        """Return the issue of what cannot be asked at once."""
        return self.issue(IssueType.MALFORMED_REQUEST, message)

    def cardinality_issue(self, message: Message, place: Path = ()) -> Issue:
        """Return the issue of too few or too many."""
        return self.issue(IssueType.ROLE_CARDINALITY, message, place)

    def not_found_issue(self, reference: Reference) -> Issue:
        """Return the issue of an object that is named and not there."""
        return self.issue(IssueType.ENTITY_NOT_FOUND, _not_found(reference))

    def no_longer_found_issue(self, reference: Reference) -> Issue:
        """Return the issue of an object that came to be led to again, and is not there any more."""
        message = _("{object} no longer exists.", object=describe_object(reference))
        return self.issue(IssueType.ENTITY_NOT_FOUND, message)

    def deleted_by_request_issue(self, reference: Reference) -> Issue:
        """Return the issue of an object that is named, and deleted by the same request."""
        message = _("The same request deletes {object}.", object=describe_object(reference))
        return self.issue(IssueType.ENTITY_NOT_FOUND, message)


def not_found_issue(subject: Subject, *path: str | int) -> Issue:
    """Return the issue of an object that is not there; its path is the subject's id, unless given."""
    message = _not_found(Reference(subject.class_.name, str(subject.id)))
    return subject.issue(IssueType.ENTITY_NOT_FOUND, message, *(path or subject.id_path))


def _not_found(reference: Reference) -> Message:
    return _("{object} does not exist.", object=describe_object(reference))


class KeyRequest(NamedTuple):
    """Somebody asks that a key lead to an object, or not to it any more; None: to none."""

    id: str | None
    requester: Requester


@dataclass(slots=True)
class KeyRequests:
    """What is asked of one key: something."""

    releases: list[KeyRequest] = field(default_factory=list)
    """By objects that it shall not lead to any more, if it does."""
    assignments: list[KeyRequest] = field(default_factory=list)
    """By objects that it shall lead to."""
    own: list[KeyRequest] = field(default_factory=list)
    """By the object that holds it."""

    @property
    def first(self) -> KeyRequest:
        """The least weighty of all."""
        return (*self.releases, *self.assignments, *self.own)[0]

    @property
    def last(self) -> KeyRequest:
        """The weightiest of all."""
        return (*self.releases, *self.assignments, *self.own)[-1]


class LinkKey(NamedTuple):
    """A link; of two roles that face each other, the one whose name comes first leads from owner to other."""

    role: RoleName
    owner: str
    other: str


@dataclass(slots=True)
class LinkRequests:
    """What is asked of one link."""

    additions: list[Requester] = field(default_factory=list)
    removals: list[Requester] = field(default_factory=list)
