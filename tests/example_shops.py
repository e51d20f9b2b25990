"""Made-up data of two shops, of the shape of the sample databases Chinook and Northwind.

By class, each object has its attributes and roles. A role has the number of an object, or a list of them.
Parts lie in their whole. `fill_service` and `fill_tables` store the same data, so that both answer the same.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import cycle
from random import Random
from typing import Any, Protocol

from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Class, Model

Objects = Mapping[str, Sequence[Mapping[str, Any]]]
"""By class, in the order of creation."""
DELETED = 6
"""The number of customers and products of the wholesaler, the last ones, that no order has."""
_PLACES = (
    ("Berlin", "Germany"),
    ("Roma", "Italy"),
    ("Paris", "France"),
    ("Praha", "Czechia"),
    ("Oslo", "Norway"),
)


class CreatesObjects(Protocol):
    """A service that creates objects."""

    def create(self, class_name: str, data: Mapping[str, Any]) -> str:
        """Create an object with values of its `create` service, and return its id."""


def music_shop() -> Objects:
    """Return the objects of a music shop."""
    random = Random(4)
    artists = (
        "Die Ärzte",
        "Björk",
        "Antonín Dvořák",
        "AC/DC",
        "Sigur Rós",
        "Mina",
        "Gilberto Gil",
        "Édith Piaf",
    )
    albums = [{"title": f"Álbum {number}", "artist": random.randrange(len(artists))} for number in range(30)]
    tracks = [
        {
            "name": f"Song {number}",
            "milliseconds": random.randrange(60_000, 600_000),
            "unit_price": random.choice(("0.99", "1.29", "1.99")),
            "album": random.choice((None, *range(len(albums)))),
            "genre": random.choice((None, *range(5))),
            "media_type": number % 3,
        }
        for number in range(150)
    ]
    names = cycle(
        ("Müller", "MÜLLER", "Muller-Lüdenscheidt", "Mu\u0308ller", "Rossi", "Moulin", "Novák", "Möller")
    )
    customers = [
        {
            "first_name": f"Customer{number}",
            "last_name": name,
            "country": random.choice(_PLACES)[1],
            "support": random.choice((None, 0, 1, 2)),
        }
        for number, name in zip(range(24), names, strict=False)
    ]
    return {
        "Artist": [{"name": name} for name in artists],
        "Album": albums,
        "Genre": [{"name": name} for name in ("Rock", "Jazz", "Opera", "Samba", "Metal")],
        "MediaType": [{"name": name} for name in ("MPEG", "AAC", "Vinyl")],
        "Track": tracks,
        "Playlist": [
            {"name": f"Playlist {number}", "tracks": sorted(random.sample(range(len(tracks)), 8 * number))}
            for number in range(5)
        ],
        "Employee": [{"first_name": name, "last_name": "Clerk"} for name in ("Ada", "Bob", "Eve")],
        "Customer": customers,
        "Invoice": [_invoice(random, tracks, len(customers)) for _ in range(120)],
    }


def _invoice(random: Random, tracks: Sequence[Mapping[str, Any]], customers: int) -> Mapping[str, Any]:
    lines = [
        {"unit_price": tracks[track]["unit_price"], "quantity": random.randrange(1, 4), "track": track}
        for track in random.sample(range(len(tracks) // 2), random.randrange(1, 6))
    ]
    day = date(2024, 6, 1) + timedelta(random.randrange(800))
    return {
        "issued_at": f"{day}T{random.randrange(24):02}:{random.randrange(60):02}:00Z",
        "total": str(sum(Decimal(line["unit_price"]) * line["quantity"] for line in lines)),
        "customer": random.randrange(customers),
        "lines": lines,
    }


def wholesaler() -> Objects:
    """Return the objects of a wholesaler."""
    random = Random(5)
    products = [
        {
            "name": f"Product {number}",
            "unit_price": f"{random.randrange(200, 9000) / 100:.2f}",
            "units_in_stock": random.randrange(60),
            "units_on_order": random.choice((0, 0, 10, 40)),
            "reorder_level": random.choice((0, 10, 25, 30)),
            "discontinued": number % 7 == 0,
            "category": random.randrange(5),
            "supplier": random.randrange(4),
        }
        for number in range(40)
    ]
    return {
        "Category": [{"name": name} for name in ("Beverages", "Condiments", "Dairy", "Grains", "Seafood")],
        "Supplier": [{"name": f"Supplier {place}", "country": country} for place, country in _PLACES],
        "Shipper": [{"name": name} for name in ("Speedy", "United", "Federal")],
        "Employee": [{"name": name, "title": "Sales"} for name in ("Nancy", "Andrew", "Janet", "Margaret")],
        "Customer": [
            {"name": f"Customer {number}", "city": city, "country": country}
            for number, (city, country) in zip(range(20 + DELETED), cycle(_PLACES), strict=False)
        ],
        "Product": products,
        "Order": [_order(random, products) for _ in range(150)],
    }


def _order(random: Random, products: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    day = date(2024, 9, 1) + timedelta(random.randrange(700))
    days = random.choice((None, *range(1, 25)))
    return {
        "ordered_on": str(day),
        "required_on": str(day + timedelta(14)),
        "shipped_on": None if days is None else str(day + timedelta(days)),
        "freight": f"{random.randrange(100, 30_000) / 100:.2f}",
        "customer": random.randrange(20),
        "employee": random.randrange(4),
        "shipper": None if days is None else random.randrange(3),
        "details": [
            {
                "unit_price": products[product]["unit_price"],
                "quantity": random.randrange(1, 50),
                "discount": random.choice(("0", "0", "0.05", "0.25")),
                "product": product,
            }
            for product in random.sample(range(len(products) - DELETED), random.randrange(1, 5))
        ],
    }


def fill_service(service: CreatesObjects, model: Model, objects: Objects) -> Mapping[str, Sequence[str]]:
    """Create the objects in a service. Return their ids by class, in the same order."""
    ids: dict[str, list[str]] = {}
    for name, all_ in objects.items():
        class_ = model.classes[name]
        ids[name] = [service.create(name, _with_ids(class_, each, model, ids)) for each in all_]
    return ids


def _with_ids(
    class_: Class, values: Mapping[str, Any], model: Model, ids: Mapping[str, Sequence[str]]
) -> Mapping[str, Any]:
    """Return values with ids instead of the numbers of objects."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name not in class_.roles or value is None:
            found[name] = value
            continue
        target = class_.roles[name].target
        if isinstance(value, int):
            found[name] = ids[target][value]
        elif class_.roles[name].composition:
            found[name] = [_with_ids(model.classes[target], part, model, ids) for part in value]
        else:
            found[name] = [ids[target][each] for each in value]
    return found


def fill_tables(database: sqlite3.Connection, model: Model, objects: Objects) -> None:
    """Create a table for each class, with the objects. Their `id` is their number.

    A to-one role is a column that ends with `_id`. So is the whole of a part. A role to many has a table.
    """
    for name, all_ in objects.items():
        for number, values in enumerate(all_):
            for table, row in _rows(model.classes[name], {"id": number, **values}, model):
                columns = ", ".join(row)
                if not _has_table(database, table):
                    database.execute(f'CREATE TABLE "{table}" ({columns})')
                marks = ", ".join("?" * len(row))
                database.execute(f'INSERT INTO "{table}" ({columns}) VALUES ({marks})', [*row.values()])


def _has_table(database: sqlite3.Connection, table: str) -> bool:
    return bool(database.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", [table]).fetchall())


def _rows(class_: Class, values: Mapping[str, Any], model: Model) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of an object with their tables: its own, those of its links, and of its parts."""
    row: dict[str, Any] = {}
    for name, value in values.items():
        if name not in class_.roles:
            row[name] = _column_value(class_.attributes.get(name), value)
        elif not isinstance(value, list):
            row[f"{name}_id"] = value
        elif class_.roles[name].composition:
            part = model.classes[class_.roles[name].target]
            for each in value:
                yield from _rows(part, {**each, f"{_table(class_.name)}_id": values["id"]}, model)
        else:
            for target in value:
                yield (
                    f"{_table(class_.name)}_{name}",
                    {f"{_table(class_.name)}_id": values["id"], f"{name.removesuffix('s')}_id": target},
                )
    yield _table(class_.name), row


def _column_value(attribute: Attribute | None, value: Any) -> Any:
    is_real = attribute is not None and attribute.type.name == "Real"
    return float(value) if is_real and value is not None else value


def _table(class_name: str) -> str:
    """Return the name of the table of a class: `invoice_line` for `InvoiceLine`."""
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in class_name).lstrip("_")
