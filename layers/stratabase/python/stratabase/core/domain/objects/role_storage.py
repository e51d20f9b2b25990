"""Where the associations of a role are stored, which follows from the model."""

from enum import Enum

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.model.model import Model, Role


class RoleStorage(Enum):
    """Where a role's associations are stored: in keys, in links of their own, or in lists of parts."""

    OWN_KEY = "the object holds the id of the other"
    OPPOSITE_KEY = "the other, of which there is one, holds the object's id"
    OPPOSITE_KEYS = "the others hold the object's id"
    LINKS = "links are kept on their own"
    PARTS = "the object holds the ids of its parts"
    WHOLE = "the part holds the id of its whole"
    RECORDED_MEMBER = "the object holds the member's id beside the member's name"


def storage_of(model: Model, role: Role) -> RoleStorage:
    """Return where the associations of a role are stored."""
    if role.recorded_in is not None:
        return RoleStorage.RECORDED_MEMBER
    if role.composition or role.whole:
        return RoleStorage.PARTS if role.composition else RoleStorage.WHOLE
    if not role.many:
        return RoleStorage.OWN_KEY if role.holds_key else RoleStorage.OPPOSITE_KEY
    opposite = opposite_of(model, role)
    return RoleStorage.LINKS if opposite is None or opposite.many else RoleStorage.OPPOSITE_KEYS


def opposite_of(model: Model, role: Role) -> Role | None:
    """Return the opposite role, which leads back; None if there is none."""
    return None if role.opposite is None else model.classes[role.target].roles[role.opposite]


def opposite_name(role: Role) -> RoleName | None:
    """Return the name of the opposite role; None if there is none."""
    return None if role.opposite is None else RoleName(role.target, role.opposite)


def is_one_to_one(model: Model, role: Role) -> bool:
    """Return whether an association has two sides that each lead to one object."""
    opposite = opposite_of(model, role)
    return opposite is not None and not role.many and not opposite.many
