"""Columns are matched to attributes and roles by name or by an option, and each mistake is named."""

from collections.abc import Sequence

import pytest

from stratabase.transfer.csv.columns import Columns, UnusableColumns, match_columns
from tests.rows import each_row
from tests.transfer.csv.shop import MODEL


def _match(header: str, class_name: str = "Pet", update_by: Sequence[str] = (), **mapping: str) -> Columns:
    named = {name.replace("_", " "): mapped for name, mapped in mapping.items()}
    return match_columns(MODEL, MODEL.classes[class_name], header.split(","), named, update_by=update_by)


def test_columns_are_found_by_name_whatever_their_case() -> None:
    columns = _match("Name,TAG, Owner.email,cage")
    assert {name: column.index for name, column in columns.attributes.items()} == {"name": 0, "tag": 1}
    assert list(columns.roles["owner"].columns) == ["email"]
    assert list(columns.roles["cage"].columns) == ["code"]  # the only unique attribute of a cage
    assert columns.roles["cage"].is_exclusive


def test_columns_with_other_names_are_mapped_or_left_out() -> None:
    columns = _match("Nome,x,first,last", Nome="name", x="", first="owner.first", last="owner.last")
    assert columns.header_of("name") == "Nome"
    assert columns.header_of("owner") == "first, last"
    assert columns.header_of("tag") is None


def test_a_file_of_refused_rows_can_be_imported() -> None:
    assert list(_match("name,_line,_reason").attributes) == ["name"]


def test_other_columns_can_be_ignored() -> None:
    columns = match_columns(MODEL, MODEL.classes["Pet"], ["name", "shoe"], {}, ignores_others=True)
    assert list(columns.attributes) == ["name"]


@each_row(
    ("header", "options", "message"),
    [
        ("name,nmae", {}, 'Column "nmae": Pet has no attribute or role of this name. Did you mean "name"?'),
        (
            "name,colour",
            {},
            "Known are name, tag, age, price, born, fed, tame, kind, owner, cage. To leave the column out",
        ),
        ("name", {"x": "tag"}, '--map: the file has no column "x"'),
        ("n", {"n": "nam"}, 'Pet has no attribute or role "nam"'),
        ("tag", {}, "Pet.name is required, but no column belongs to it"),
        ("name,Name", {}, 'The columns "name" and "Name" are both name.'),
        ("name,number", {}, "Pet.number can't be imported: Stratabase numbers the objects."),
        ("name,photo", {}, "Pet.photo can't be imported: a cell can't have a file."),
        ("name,label", {}, "Pet.label can't be imported: Stratabase sets it."),
        ("name,toys", {}, "Pet.toys has parts"),
        ("name,owner.mail", {}, 'Owner has no unique attribute "mail". Did you mean "email"?'),
        ("name,owner.first", {}, "Owner has no @unique of exactly first"),
        ("name,_id", {}, "use --update-by _id"),
        ("name", {"update_by": ["age"]}, "--update-by: Pet has no @unique of exactly age. Use _id, or tag"),
        ("name", {"update_by": ["tag"]}, "--update-by: the file has no column for tag"),
        ("name", {"class_name": "Toy"}, "parts (Pet.toys)"),
    ],
)
def test_a_mistake_is_named_with_a_remedy(header: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(UnusableColumns) as refusal:
        _match(header, **options)
    assert message in str(refusal.value)


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(UnusableColumns) as refusal:
        _match("a,b,c")
    assert len(str(refusal.value).splitlines()) == 4
