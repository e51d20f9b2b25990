"""The object of a class that has just one."""

from stratabase.domain.entity import Entity, Reference
from stratabase.model.class_ import Class, Kind

SINGLETON_ID = "1"


def singleton(class_: Class) -> Reference:
    """Return what identifies the one object of a class."""
    return Reference(class_.name, SINGLETON_ID)


def is_unwritten(class_: Class, entity: Entity) -> bool:
    """Return whether an object is a singleton that no write has made yet."""
    return class_.kind is Kind.SINGLETON and not entity.commit_ids
