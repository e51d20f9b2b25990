"""A model with roles in `@unique` and `@index` of each kind, and short functions to write its objects.

A room's number is unique in its department, a line's in its order. A doctor has one appointment at a time.
"""

from typing import Any

from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.store.layout import keys, object_items
from tests.core.store.engine_items import Items
from tests.graphs.commands import create_command, do, update_command
from tests.graphs.item_faults import item_faults

TEXT = """
extend schema @application(name: "Hospital")

type Department @unique(attributes: ["head"]) {
  name: String
  rooms: [Room!] @association(opposite: "department")
  head: Doctor
}

type Room
  @unique(attributes: ["department", "number"])
  @index(attributes: ["department", "floor"]) {
  number: Int
  floor: Int
  department: Department @association(opposite: "rooms")
  beds: [Bed!] @composition(whole: "room")
}

type Bed @unique(attributes: ["room", "label"]) { label: String }

type Doctor @class(versioned: true) {
  name: String
  appointments: [Appointment!] @association(opposite: "doctor")
}

type Appointment
  @class(versioned: true)
  @unique(attributes: ["doctor", "starts_at"])
  @index(attributes: ["doctor", "starts_at"]) {
  starts_at: Datetime
  doctor: Doctor @association(opposite: "appointments")
}

type Order @class(versioned: true) { name: String  lines: [Line!] @composition(whole: "order") }

type Line
  @class(versioned: true)
  @unique(attributes: ["order", "number"])
  @index(attributes: ["order", "number"]) {
  number: Int
  text: String
}
"""

HOSPITAL = read_model(TEXT, "hospital.graphql")


def create_one(services: Services, class_name: str, **asked: Any) -> str:
    """Create an object, and return its id."""
    return str(do(services, create_command(class_name, **asked)).reference.id)


def update_one(services: Services, class_name: str, id_: str, **asked: Any) -> None:
    """Update an object."""
    do(services, update_command(class_name, id_, **asked))


def hospital_faults(items: Items) -> list[str]:
    """Return descriptions of the items of present objects that are missing, superfluous or wrong."""
    return item_faults(
        HOSPITAL,
        {
            key: item
            for key, item in items.items()
            if not ("$" in key.sort or object_items.read_tombstone(item))
            and (key.sort == keys.HEAD or not key.sort.startswith(keys.VERSIONS))
        },
    )
