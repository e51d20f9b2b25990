"""What type an attribute of an object has, `_id` included."""

from stratabase.model.class_ import Class
from stratabase.model.types import ID_TYPE
from stratabase.model.types.base import AttributeType


def type_of(class_: Class, attribute: str) -> AttributeType:
    """Return the type of a class's attribute, or of `_id`."""
    return ID_TYPE if attribute == "_id" else class_.attributes[attribute].type
