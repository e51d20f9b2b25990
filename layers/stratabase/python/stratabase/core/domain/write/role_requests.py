"""What a request asks of one key or of one link, from either side of the association."""

from dataclasses import dataclass, field
from typing import NamedTuple

from stratabase.core.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.core.domain.objects.entity import Reference, RoleName, describe_object
from stratabase.values.messages import Message, _


class RoleSubject(NamedTuple):
    """A role of an object in a request, as issues refer to it.

    It is the role through which the request changes an association.
    """

    subject: Subject
    role: str

    @property
    def path(self) -> Path:
        """The path of the role in the request."""
        return (*self.subject.path, self.role)

    @property
    def name(self) -> RoleName:
        """The name of the role, with its class."""
        return RoleName(self.subject.class_.name, self.role)

    def issue(self, type_: IssueType, message: Message, place: Path = ()) -> Issue:
        """Return an issue about the role; `place` is its path if it differs from that of the role."""
        return self.subject.role_issue(
            type_, _("{role}: {message}", role=str(self.name), message=message), self.role, place
        )

    def contradiction_issue(self, message: Message) -> Issue:
        """Return the issue of requests that contradict each other."""
        return self.issue(IssueType.MALFORMED_REQUEST, message)

    def cardinality_issue(self, message: Message, place: Path = ()) -> Issue:
        """Return the issue of a role that leads to too few or too many objects."""
        return self.issue(IssueType.ROLE_CARDINALITY, message, place)

    def not_found_issue(self, reference: Reference) -> Issue:
        """Return the issue of a target that does not exist."""
        return self.issue(IssueType.ENTITY_NOT_FOUND, _not_found(reference))

    def no_longer_found_issue(self, reference: Reference) -> Issue:
        """Return the issue of a former target that no longer exists, so a restoration leaves it out."""
        message = _("{object} no longer exists.", object=describe_object(reference))
        return self.issue(IssueType.ENTITY_NOT_FOUND, message)

    def deleted_by_request_issue(self, reference: Reference) -> Issue:
        """Return the issue of a target that the same request deletes."""
        message = _("The same request deletes {object}.", object=describe_object(reference))
        return self.issue(IssueType.ENTITY_NOT_FOUND, message)


def not_found_issue(subject: Subject, *path: str | int) -> Issue:
    """Return the issue of an object that does not exist. The default path is that of the object's ID."""
    message = _not_found(Reference(subject.class_.name, str(subject.id)))
    return subject.issue(IssueType.ENTITY_NOT_FOUND, message, *(path or subject.id_path))


def _not_found(reference: Reference) -> Message:
    return _("{object} does not exist.", object=describe_object(reference))


class KeyRequest(NamedTuple):
    """A request about a key: it is to lead to an object (None: to no object), or no longer to lead to it."""

    id: str | None
    requester: RoleSubject


@dataclass(slots=True)
class KeyRequests:
    """All requests about one key; at least one."""

    releases: list[KeyRequest] = field(default_factory=list)
    """Requests of objects to which the key is no longer to lead, if it does."""
    assignments: list[KeyRequest] = field(default_factory=list)
    """Requests of objects to which the key is to lead."""
    own: list[KeyRequest] = field(default_factory=list)
    """Requests of the object that holds the key."""

    @property
    def first(self) -> KeyRequest:
        """The first request, in the order releases, assignments, own."""
        return (*self.releases, *self.assignments, *self.own)[0]

    @property
    def last(self) -> KeyRequest:
        """The last request in the same order, which decides where the key leads."""
        return (*self.releases, *self.assignments, *self.own)[-1]


class LinkKey(NamedTuple):
    """The identity of a link, the same from both of its sides.

    Of two opposite roles, the one whose name sorts first leads from `owner` to `other`.
    """

    role: RoleName
    owner: str
    other: str


@dataclass(slots=True)
class LinkRequests:
    """All requests about one link: the roles through which it is added or removed."""

    additions: list[RoleSubject] = field(default_factory=list)
    removals: list[RoleSubject] = field(default_factory=list)
