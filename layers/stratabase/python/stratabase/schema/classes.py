"""Which kinds of class have which services (api.md section 2)."""

from collections.abc import Callable

from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class, ClassKind
from stratabase.schema.inputs.types import is_empty

Serves = Callable[[Class], bool]


def is_read(class_: Class) -> bool:
    """Return whether objects of a class are read by themselves: ordinary ones, and exposed parts."""
    return class_.kind is ClassKind.ORDINARY and class_.exposed


def is_ordinary(class_: Class) -> bool:
    """Return whether a class has the services of an ordinary one."""
    return is_read(class_) and not class_.part


def is_singleton(class_: Class) -> bool:
    """Return whether a class has the services of a singleton."""
    return class_.kind is ClassKind.SINGLETON and class_.exposed


def is_form(class_: Class) -> bool:
    """Return whether a class has the services of a form."""
    return class_.kind is ClassKind.FORM and class_.exposed


def is_filled_in(class_: Class) -> bool:
    """Return whether new objects of a class can be tried out, if not kept."""
    return is_ordinary(class_) or is_form(class_)


def is_changed(class_: Class) -> bool:
    """Return whether objects of a class are changed one by one."""
    return is_ordinary(class_) or is_singleton(class_)


def has_history(class_: Class) -> bool:
    """Return whether versions are kept of objects that are read by themselves."""
    return class_.versioned and (is_read(class_) or is_singleton(class_))


def is_restored(class_: Class) -> bool:
    """Return whether versions are kept of objects that are written by themselves."""
    return class_.versioned and is_changed(class_)


def giving(family: GeneratedType, serves: Serves) -> Serves:
    """Return the classes that also have an input of a family: one that has fields."""
    return lambda class_: serves(class_) and not is_empty(class_, family)
