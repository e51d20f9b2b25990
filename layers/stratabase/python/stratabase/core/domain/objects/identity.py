"""The IDs of objects: which ones can exist, and those of singletons."""

from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.model.model import Class, ClassKind

_MAX_ID_LENGTH = 255
"""Characters. The IDs that the service generates are far shorter."""


def normalize_reference(reference: Reference) -> Reference:
    """Return a reference that every store can look up.

    A client may send an ID that no store accepts as a key. The result then has an ID that no object has
    either.
    """
    id_ = reference.id
    if id_.isascii() and len(id_) <= _MAX_ID_LENGTH:
        return reference
    return Reference(reference.class_name, id_.encode("utf-8", "replace").decode()[:_MAX_ID_LENGTH])


SINGLETON_ID = "1"


def singleton_reference(class_: Class) -> Reference:
    """Return the reference of the only object of a singleton class."""
    return Reference(class_.name, SINGLETON_ID)


def is_unwritten(class_: Class, entity: Entity) -> bool:
    """Return whether an object is a singleton that has never been written."""
    return class_.kind is ClassKind.SINGLETON and not entity.commit_ids
