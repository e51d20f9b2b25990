"""What an export writes, an import reads with the same values."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.write.commands import Create, ToOneCommand
from stratabase.core.operations.write.services import save
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.transfer.csv import csv_export
from stratabase.transfer.csv.cells import ISO_FORMATS, CellFormats
from stratabase.transfer.csv.columns import UnusableColumns
from stratabase.transfer.csv.csv_export import default_columns, export_rows, exported_columns, write_file
from stratabase.transfer.csv.csv_import import ImportOptions
from stratabase.values.formats.date_fields import DatePart
from stratabase.values.formats.preferences import Formats
from tests.rows import each_row
from tests.transfer.csv.shop import CONSOLE, MODEL, Shop

TEXTS = ["", "'", "=1+1", "'=x", "+39", "-", "@a", "\tx", "a\r\nb", 'say "hi"', "a;b,c", "é€", " x ", "null"]
ITALIAN = CellFormats(
    Formats(date_format="dd/MM/yyyy", time_format="HH:mm:ss.SSS", time_zone="Europe/Rome", language="it"),
    ",",
    writes_patterns=frozenset({DatePart.DATE}),
)
SHORT = CellFormats(
    Formats(date_format="dd/MM/yyyy", time_format="HH:mm", time_zone="Europe/Rome"),
    writes_patterns=frozenset({DatePart.DATE}),
)


def _export(shop: Shop, file: Path, names: list[str] | None = None, cells: CellFormats | None = None) -> int:
    class_, cells = MODEL.classes["Pet"], cells or CellFormats()
    columns = exported_columns(MODEL, class_, names or default_columns(MODEL, class_), cells)
    rows = export_rows(shop.services, CONSOLE, class_, columns)
    header = [column.header for column in columns]
    return write_file(file, header, rows, encoding="utf-8", delimiter=";", progress=lambda _: None)


def _comparable(shop: Shop) -> list[Mapping[str, Any]]:
    """Return the importable values of all pets, in any order of their ids."""
    owners = {state["_id"]: state["email"] for state in shop.objects("Owner")}
    names = ("name", "tag", "age", "price", "born", "fed", "tame", "kind")
    found = [
        {name: state.get(name) for name in names} | {"owner": owners.get(state.get("owner"))}
        for state in shop.objects()
    ]
    return sorted(found, key=lambda each: str(each["tag"]))


@pytest.mark.parametrize("cells", [CellFormats(), ITALIAN], ids=["iso", "italian"])
def test_a_round_trip_keeps_all_values(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: CellFormats
) -> None:
    monkeypatch.setattr(csv_export, "_PAGE", 3)
    owner = shop.add("Owner", email="=ada@example.com")
    shop.add("Pet", name="Null", age=None)
    for number, text in enumerate(TEXTS):
        shop.add("Pet", name=f"-{number}", tag=text, price=str(-number / 4), born="2020-01-31")
    rich = {"age": 0, "price": "2.5E+40", "fed": "2020-07-01T09:30:00.125Z", "tame": False, "kind": "CAT"}
    command = Create("Pet", {"name": "Rich", "tag": "z", **rich}, roles={"owner": ToOneCommand(owner)})
    save(shop.services, command, CONSOLE)
    assert _export(shop, tmp_path / "out.csv", cells=cells) == len(TEXTS) + 2
    (folder := tmp_path / "other").mkdir()
    engine = SqliteEngine(folder / "objects.db")
    other = Shop(engine, folder)
    other.add("Owner", email="=ada@example.com")
    other.run(tmp_path / "out.csv", cells=cells, options=ImportOptions(clears=True))
    assert _comparable(other) == _comparable(shop)
    _export(other, tmp_path / "again.csv", cells=cells)
    first, second = ((tmp_path / name).read_bytes() for name in ("out.csv", "again.csv"))
    assert sorted(first.split(b"\r\n")) == sorted(second.split(b"\r\n"))
    engine.close()


@pytest.mark.parametrize("cells", [CellFormats(), ITALIAN, SHORT], ids=["iso", "italian", "short"])
def test_an_import_of_an_export_changes_nothing(shop: Shop, tmp_path: Path, cells: CellFormats) -> None:
    moments = ["2026-01-01T10:00:00.007Z", "2026-01-01T10:00:07.000Z", "2026-01-01T10:00:00.000Z"]
    moments += ["2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z", "2026-03-29T01:30:00.000Z"]
    for number, moment in enumerate(moments):
        shop.add("Pet", name="Rex", tag=str(number), fed=moment)
    _export(shop, tmp_path / "out.csv", cells=cells)
    checked = shop.check(tmp_path / "out.csv", update_by="tag", cells=cells)
    assert (checked.issues.count, checked.effects) == (0, {"unchanged": len(moments)})


def test_no_cell_is_a_formula(shop: Shop, tmp_path: Path) -> None:
    for text in TEXTS:
        shop.add("Pet", name="x", tag=text)
    _export(shop, tmp_path / "out.csv", ["tag"])
    cells = [line.strip(b'"') for line in (tmp_path / "out.csv").read_bytes().split(b"\r\n")]
    starts = (b"=", b"+", b"-", b"@", b"\t", b"\r")
    assert [cell for cell in cells if cell.startswith(starts)] == [b"+39", b"-"]


def test_columns_can_be_chosen(shop: Shop, tmp_path: Path) -> None:
    id_ = shop.add("Pet", name="Rex")
    _export(shop, tmp_path / "out.csv", ["_id", "label", "number", "owner.email", "name"])
    assert (tmp_path / "out.csv").read_text() == f"_id;label;number;owner.email;name\n{id_};Rex!;1;;Rex\n"
    assert (tmp_path / "out.csv").stat().st_mode & 0o777 == 0o600


def test_the_default_columns_are_those_that_an_import_accepts() -> None:
    assert default_columns(MODEL, MODEL.classes["Pet"]) == [
        *("name", "tag", "age", "price", "born", "fed", "tame", "kind"),
        *("owner.email", "cage.code"),
    ]


@each_row(
    ("name", "message"),
    [
        ("nmae", 'Did you mean "name"?'),
        ("photo", "is a file"),
        ("toys", "Pet.toys has parts, which a cell can't have. Leave the column out: use `stratabase export"),
        ("toys._id", "Pet.toys has parts"),
        ("owner", "Pet.owner is a role. Add an attribute of Owner: owner._id."),
        ("owner.emial", 'Owner has no attribute "emial". Did you mean "email"?'),
        ("owner.x", 'Owner has no attribute "x". Its attributes are'),
    ],
)
def test_an_unknown_column_is_named(name: str, message: str) -> None:
    with pytest.raises(UnusableColumns, match=message.replace("?", r"\?")):
        exported_columns(MODEL, MODEL.classes["Pet"], [name], CellFormats())


def test_a_role_that_leads_to_many_objects_names_the_class_at_its_other_side() -> None:
    with pytest.raises(
        UnusableColumns, match=r"leads to many objects, .* a CSV file of Pet can have the other"
    ):
        exported_columns(MODEL, MODEL.classes["Owner"], ["pets._id"], CellFormats())


def test_an_export_needs_columns() -> None:
    with pytest.raises(UnusableColumns, match="--columns: name attributes of Pet, such as _id"):
        exported_columns(MODEL, MODEL.classes["Pet"], [], CellFormats())


def test_a_failed_export_leaves_no_file(shop: Shop, tmp_path: Path) -> None:
    shop.add("Pet", name="€")
    columns = exported_columns(MODEL, MODEL.classes["Pet"], ["name"], CellFormats(ISO_FORMATS))
    rows = export_rows(shop.services, CONSOLE, MODEL.classes["Pet"], columns)
    with pytest.raises(UnicodeEncodeError):
        write_file(
            tmp_path / "out.csv", ["name"], rows, encoding="latin-1", delimiter=",", progress=lambda _: None
        )
    assert not [*tmp_path.glob("out.csv*")]
