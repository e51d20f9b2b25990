"""Which attributes of a class appear where in its types."""

from collections.abc import Iterator

from stratabase.domain.objects.serials import serial_attributes
from stratabase.domain.objects.version import VERSION_END, VERSION_START
from stratabase.model.attribute import Attribute, Origin
from stratabase.model.model import Class
from stratabase.model.types import ID_TYPE, TYPES

ID_ATTRIBUTE = Attribute("_id", ID_TYPE)
"""What every object has; `_id` is filtered and sorted by like any attribute."""
_VERSION_TIMES = tuple(
    Attribute(name, TYPES["Datetime"], description=description)
    for name, description in {
        VERSION_START: "Since when the object was so.",
        VERSION_END: "Until when it was so; null while it is.",
    }.items()
)


def readable(class_: Class) -> Iterator[Attribute]:
    """Yield the attributes that are answered, `_id` excepted."""
    yield from class_.attributes.values()


def version_times(class_: Class) -> tuple[Attribute, ...]:
    """Return what is answered and ordered by, but never filtered by, where versions are kept."""
    return _VERSION_TIMES if class_.versioned else ()


def comparable(class_: Class) -> Iterator[Attribute]:
    """Yield the attributes that are filtered by, `_id` first."""
    yield ID_ATTRIBUTE
    yield from readable(class_)


def sortable(class_: Class) -> Iterator[Attribute]:
    """Yield the attributes that are ordered by, `_id` first."""
    yield from (attribute for attribute in comparable(class_) if attribute.type.sortable)
    yield from version_times(class_)


def writable(class_: Class) -> Iterator[Attribute]:
    """Yield the attributes that clients give: native ones, but for those that the service numbers."""
    numbered = serial_attributes(class_)
    native = (attribute for attribute in readable(class_) if attribute.origin is Origin.NATIVE)
    yield from (attribute for attribute in native if attribute.name not in numbered)
