"""The object of a class that has just one."""

from stratabase.domain.objects.entity import Entity, Reference
from stratabase.model.model import Class, ClassKind

_LONGEST = 255
"""Characters of an id; ours are far shorter."""


def normalize_reference(reference: Reference) -> Reference:
    """Return a reference, or one that no object has either, if a store could not even look for it."""
    id_ = reference.id
    if id_.isascii() and len(id_) <= _LONGEST:
        return reference
    return Reference(reference.class_name, id_.encode("utf-8", "replace").decode()[:_LONGEST])


SINGLETON_ID = "1"


def singleton_reference(class_: Class) -> Reference:
    """Return what identifies the one object of a class."""
    return Reference(class_.name, SINGLETON_ID)


def is_unwritten(class_: Class, entity: Entity) -> bool:
    """Return whether an object is a singleton that no write has made yet."""
    return class_.kind is ClassKind.SINGLETON and not entity.commit_ids
