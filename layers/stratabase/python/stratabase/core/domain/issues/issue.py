"""Issues, which say what is wrong with a request, and the objects of a request that they concern."""

from dataclasses import replace
from enum import Enum

from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Class, ClassKind
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message

Path = tuple[str | int, ...]
"""A place in a request, starting at the service's arguments: ("data", "addresses", "create", 0, "street")."""


class Level(Enum):
    """The severity of an issue."""

    ERROR = "ERROR"
    WARNING = "WARNING"
    """A warning stops a write unless the client chooses to continue. Reports never stop one (`stops_write`).
    """


class ReferenceType(Enum):
    """What an issue concerns: an object, a role or an attribute."""

    ENTITY = "ENTITY"
    ENTITY_ROLE = "ENTITY_ROLE"
    ENTITY_ATTRIBUTE = "ENTITY_ATTRIBUTE"


class IssueType(Enum):
    """The type of an issue."""

    SERVER_ERROR = "SERVER_ERROR"
    MALFORMED_REQUEST = "MALFORMED_REQUEST"
    DATA_TYPE = "DATA_TYPE"
    ENTITY_GRANT_CREATE = "ENTITY_GRANT_CREATE"
    ENTITY_GRANT_EDIT = "ENTITY_GRANT_EDIT"
    ENTITY_GRANT_DELETE = "ENTITY_GRANT_DELETE"
    ENTITY_GRANT_READ = "ENTITY_GRANT_READ"
    ROLE_GRANT_CREATE = "ROLE_GRANT_CREATE"
    ROLE_GRANT_EDIT = "ROLE_GRANT_EDIT"
    ROLE_GRANT_DELETE = "ROLE_GRANT_DELETE"
    ROLE_GRANT_READ = "ROLE_GRANT_READ"
    ATTRIBUTE_GRANT_EDIT = "ATTRIBUTE_GRANT_EDIT"
    ATTRIBUTE_GRANT_READ = "ATTRIBUTE_GRANT_READ"
    SERVICE_HANDLER_ERROR = "SERVICE_HANDLER_ERROR"
    ENTITY_LOCK_EDIT = "ENTITY_LOCK_EDIT"
    ENTITY_LOCK_PERSIST = "ENTITY_LOCK_PERSIST"
    ENTITY_NOT_FOUND = "ENTITY_NOT_FOUND"
    ENTITY_ATTRIBUTE_NOT_FOUND = "ENTITY_ATTRIBUTE_NOT_FOUND"
    ENTITY_ROLE_NOT_FOUND = "ENTITY_ROLE_NOT_FOUND"
    ENTITY_ACCESS_FORBIDDEN = "ENTITY_ACCESS_FORBIDDEN"
    ENTITY_ATTRIBUTE_ACCESS_FORBIDDEN = "ENTITY_ATTRIBUTE_ACCESS_FORBIDDEN"
    ENTITY_ROLE_ACCESS_FORBIDDEN = "ENTITY_ROLE_ACCESS_FORBIDDEN"
    APPLICATION_ACCESS_FORBIDDEN = "APPLICATION_ACCESS_FORBIDDEN"
    ENTITY_DOMAIN = "ENTITY_DOMAIN"
    ENTITY_UNIQUE = "ENTITY_UNIQUE"
    ROLE_CARDINALITY = "ROLE_CARDINALITY"
    ROLE_DOMAIN = "ROLE_DOMAIN"
    ATTRIBUTE_REQUIRED = "ATTRIBUTE_REQUIRED"
    ATTRIBUTE_RANGE = "ATTRIBUTE_RANGE"
    ATTRIBUTE_REAL_DECIMAL_DIGITS = "ATTRIBUTE_REAL_DECIMAL_DIGITS"
    ATTRIBUTE_STRING_LENGTH = "ATTRIBUTE_STRING_LENGTH"
    ATTRIBUTE_STRING_PATTERN = "ATTRIBUTE_STRING_PATTERN"
    ATTRIBUTE_FILE_TYPE = "ATTRIBUTE_FILE_TYPE"
    ATTRIBUTE_FILE_SIZE = "ATTRIBUTE_FILE_SIZE"
    ATTRIBUTE_EMAIL = "ATTRIBUTE_EMAIL"
    ATTRIBUTE_PHONE = "ATTRIBUTE_PHONE"
    ATTRIBUTE_PARTITA_IVA = "ATTRIBUTE_PARTITA_IVA"
    ATTRIBUTE_CODICE_FISCALE_PERSONA_FISICA = "ATTRIBUTE_CODICE_FISCALE_PERSONA_FISICA"
    ATTRIBUTE_CODICE_FISCALE_PERSONA_GIURIDICA = "ATTRIBUTE_CODICE_FISCALE_PERSONA_GIURIDICA"
    ENTITY_CREATE_VETO = "ENTITY_CREATE_VETO"
    ENTITY_EDIT_VETO = "ENTITY_EDIT_VETO"
    ENTITY_DELETE_VETO = "ENTITY_DELETE_VETO"


@frozen
class Issue:
    """One problem with a request.

    `path` is its place in the request. The GraphQL layer adds the application, the caller's profile and the
    trace ID.
    """

    type: IssueType
    message: Message
    level: Level = Level.ERROR
    reference_type: ReferenceType | None = None
    entity_name: str | None = None
    entity_id: str | None = None
    client_id: str | None = None
    attribute_names: tuple[str, ...] = ()
    role_names: tuple[str, ...] = ()
    path: Path = ()
    stops_write: bool = True
    """False for what a validation only reports."""
    shows_current: bool = False
    """Whether the response shows the object of the request as it is now, so that the client can merge."""

    def as_report(self) -> "Issue":
        """Return the issue as a report: a warning that only validations show, and that stops no write."""
        return replace(self, level=Level.WARNING, stops_write=False)


@frozen
class Subject:
    """An object of a request, as issues refer to it.

    `id` is None for an object that has no ID yet, or whose ID the caller must not learn. `client_id` is its
    `_clientId`, and `path` its place in the request.
    """

    class_: Class
    id: str | None = None
    client_id: str | None = None
    path: Path = ("data",)

    @property
    def id_path(self) -> Path:
        """The place of the object's `_id` in the request; for a singleton, its own place."""
        return self.path if self.class_.kind is ClassKind.SINGLETON else (*self.path, ID)

    def issue(self, type_: IssueType, message: Message, *path: str | int) -> Issue:
        """Return an issue about the object as a whole, at a path."""
        return Issue(
            type_,
            message,
            reference_type=ReferenceType.ENTITY,
            entity_name=self.class_.name,
            entity_id=self.id,
            client_id=self.client_id,
            path=path,
        )

    def attribute_issue(self, type_: IssueType, message: Message, *attributes: str, path: Path = ()) -> Issue:
        """Return an issue about attributes of the object. The default path is that of the first attribute."""
        issue = self.issue(type_, message, *(path or (*self.path, attributes[0])))
        return replace(issue, reference_type=ReferenceType.ENTITY_ATTRIBUTE, attribute_names=attributes)

    def role_issue(self, type_: IssueType, message: Message, role: str, path: Path = ()) -> Issue:
        """Return an issue about a role of the object. The default path is that of the role."""
        issue = self.issue(type_, message, *(path or (*self.path, role)))
        return replace(issue, reference_type=ReferenceType.ENTITY_ROLE, role_names=(role,))
