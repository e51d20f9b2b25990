"""The attributes that the service numbers, and the classes that are made without such help."""

from stratabase.model.attribute import Origin
from stratabase.model.class_ import Class


def serials(class_: Class) -> list[str]:
    """Return the names of a class's Serial attributes."""
    attributes = class_.attributes.values()
    return [each.name for each in attributes if each.type.name == "Serial" and each.origin is Origin.NATIVE]


def stands_alone(class_: Class) -> bool:
    """Return whether an object of a class can be made without any other, and without a number."""
    roles = class_.roles.values()
    return not serials(class_) and not any(role.required and not role.whole for role in roles)
