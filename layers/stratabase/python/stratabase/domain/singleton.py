"""The object of a class that has just one."""

from stratabase.domain.entity import Reference
from stratabase.model.class_ import Class

SINGLETON_ID = "1"


def singleton(class_: Class) -> Reference:
    """Return what identifies the one object of a class."""
    return Reference(class_.name, SINGLETON_ID)
