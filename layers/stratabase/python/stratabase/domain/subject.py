"""The object that issues are about."""

from dataclasses import dataclass, replace

from stratabase.domain.issue import Issue, IssueType, Path, ReferenceType
from stratabase.model.model import Class, ClassKind


@dataclass(frozen=True, slots=True)
class Subject:
    """An object of a class in a request: with its id once it has one, and with what its client calls it.

    `path` leads to where the request speaks of it.
    """

    class_: Class
    id: str | None = None
    client_id: str | None = None
    path: Path = ("data",)

    @property
    def id_path(self) -> Path:
        """Where the request says which object it is: of a singleton, it need not say that."""
        return self.path if self.class_.kind is ClassKind.SINGLETON else (*self.path, "_id")

    def issue(self, type_: IssueType, message: str, *path: str | int) -> Issue:
        """Return an issue about the object as a whole."""
        return Issue(
            type_,
            message,
            reference_type=ReferenceType.ENTITY,
            entity_name=self.class_.name,
            entity_id=self.id,
            client_id=self.client_id,
            path=path,
        )

    def attribute_issue(self, type_: IssueType, message: str, *attributes: str, path: Path = ()) -> Issue:
        """Return an issue about attributes of the object; its path leads to the first, unless given."""
        issue = self.issue(type_, message, *(path or (*self.path, attributes[0])))
        return replace(issue, reference_type=ReferenceType.ENTITY_ATTRIBUTE, attribute_names=attributes)

    def role_issue(self, type_: IssueType, message: str, role: str, path: Path = ()) -> Issue:
        """Return an issue about a role of the object; its path leads to the role, unless given."""
        issue = self.issue(type_, message, *(path or (*self.path, role)))
        return replace(issue, reference_type=ReferenceType.ENTITY_ROLE, role_names=(role,))
