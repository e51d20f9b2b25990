"""The expected issue of a refusal, with every field that a client receives."""

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Issue:
    """An expected issue. `at` is its path in the request, below the service's arguments.

    A word in angle brackets, such as `<ann>`, stands for the id of an existing object.
    """

    type: str
    message: str
    at: str
    reference: str | None = None
    entity: str | None = None
    id: str | None = None
    client_id: str | None = None
    attributes: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    level: str = "ERROR"
    label: str | None = None
    """The label of the object. `ServiceClient` adds that of an object that it has created."""

    def of(self, id_: str) -> "Issue":
        """Return the same issue for an existing object."""
        return replace(self, id=id_)

    def called(self, client_id: str) -> "Issue":
        """Return the same issue for an object with a client id."""
        return replace(self, client_id=client_id)

    def shown(self, key: str, trace_id: str, profile: str = "Administrator") -> dict[str, Any]:
        """Return the issue in the form of the API, for the service with a response key."""
        return {
            "sourceRequestReference": f"{key}.{self.at}" if self.at else key,
            "userMessage": self.message,
            "issueLevel": self.level,
            "issueReferenceType": self.reference,
            "issueType": self.type,
            "entityID": self.id,
            "_label": self.label,
            "_clientId": self.client_id,
            "entityName": self.entity,
            "attributeNames": list(self.attributes) or None,
            "roleNames": list(self.roles) or None,
            "applicationName": "Studio",
            "profileName": profile,
            "traceId": trace_id,
        }


def entity(type_: str, class_name: str, message: str, at: str = "data") -> Issue:
    """Return an issue about an object as a whole."""
    return Issue(type_, message, at, "ENTITY", class_name)


def attribute(type_: str, name: str, message: str, at: str | None = None) -> Issue:
    """Return an issue about one attribute, given as `Class.attribute`."""
    return attributes(type_, name.split(".", maxsplit=1)[0], name.split(".")[1:], f"{name}: {message}", at)


def required(name: str, at: str | None = None) -> Issue:
    """Return the issue of a missing required attribute, given as `Class.attribute`."""
    class_name, attribute_name = name.split(".")
    return attributes("ATTRIBUTE_REQUIRED", class_name, [attribute_name], f"{name} is required.", at)


def attributes(type_: str, class_name: str, names: list[str], message: str, at: str | None = None) -> Issue:
    """Return an issue about several attributes together."""
    place = at or f"data.{names[0]}"
    return Issue(type_, message, place, "ENTITY_ATTRIBUTE", class_name, attributes=tuple(names))


def taken(class_name: str, values: dict[str, str], at: str | None = None) -> Issue:
    """Return the issue of unique values that another object has, given as a message shows them."""
    shown = " and ".join(f"{name} {value}" for name, value in values.items())
    rule = f"{next(iter(values))} must be unique." if len(values) == 1 else "The combination must be unique."
    message = f"Another {class_name} already has the same {shown}. {rule}"
    return attributes("ENTITY_UNIQUE", class_name, [*values], message, at)


def taken_in_request(name: str, value: str, at: str) -> Issue:
    """Return the issue of a unique value that an object before has, given as `Class.attribute`."""
    class_name, attribute_name = name.split(".")
    message = (
        f'Another {class_name} of this request has the same {attribute_name} "{value}". '
        "At least one value must differ."
    )
    return attributes("ENTITY_UNIQUE", class_name, [attribute_name], message, at)


def role(type_: str, name: str, message: str, at: str | None = None) -> Issue:
    """Return an issue about one role, given as `Class.role`."""
    return _of_role(type_, name, f"{name}: {message}", at)


def one_required(name: str, target: str, at: str | None = None) -> Issue:
    """Return the issue of an empty required to-one role, given as `Class.role`."""
    return _of_role("ROLE_CARDINALITY", name, f"{name} requires one {target}.", at)


def some_required(name: str, target: str, at: str | None = None) -> Issue:
    """Return the issue of an empty required to-many role, given as `Class.role`."""
    return _of_role("ROLE_CARDINALITY", name, f"{name} requires at least one {target}.", at)


def _of_role(type_: str, name: str, message: str, at: str | None) -> Issue:
    class_name, role_name = name.split(".")
    return Issue(type_, message, at or f"data.{role_name}", "ENTITY_ROLE", class_name, roles=(role_name,))


def missing(name: str, target: str, id_: str, at: str | None = None) -> Issue:
    """Return the issue of a role whose target does not exist."""
    return role("ENTITY_NOT_FOUND", name, f'{target} "{id_}" does not exist.', at)
