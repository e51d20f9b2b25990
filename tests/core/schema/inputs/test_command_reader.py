"""Inputs become commands: values, roles, and the path of each part."""

from typing import Any

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import (
    Create,
    PartsCommand,
    RoleCommand,
    ToManyCommand,
    ToOneCommand,
    Update,
    UpdateBulk,
)
from stratabase.core.model.api_names import GeneratedType
from stratabase.core.schema.inputs.command_reader import CommandReader
from tests.everything_model import EVERYTHING
from tests.rows import each_row

PERSON = EVERYTHING.classes["Person"]
READING = CommandReader(EVERYTHING)


def test_a_create_command_has_values_and_roles() -> None:
    value = {"_clientId": "P", "last_name": "Li", "email": None, "team": "t", "skills": ["a", None, "b"]}

    command = READING.create(GeneratedType.CREATE, PERSON, value)

    assert command == Create(
        "Person",
        {"last_name": "Li", "email": None},
        "P",
        {"team": ToOneCommand("t"), "skills": ToManyCommand(add=["a", "b"])},
    )


def test_saving_with_an_id_is_an_update_command() -> None:
    assert READING.save(PERSON, {"_id": None, "height": 1}) == Create("Person", {"height": 1})
    assert READING.save(PERSON, {"_id": "p", "_clientId": "P", "height": 1}) == Update(
        Reference("Person", "p"), {"height": 1}, "P"
    )


def test_an_update_of_a_singleton_needs_no_id() -> None:
    command = READING.update(GeneratedType.UPDATE, EVERYTHING.classes["House"], {"name": "H"})

    assert command == Update(Reference("House", "1"), {"name": "H"})


def test_a_bulk_update_is_one_command() -> None:
    command = READING.update_bulk(GeneratedType.UPDATE_BULK, PERSON, {"height": 1, "team": {"set": "t"}})

    assert command == UpdateBulk("Person", {"height": 1}, {"team": ToOneCommand("t")})


ENDED = PartsCommand(delete_all=True)


def made(*path: str | int, class_name: str = "Phone", **arguments: Any) -> Create:
    return Create(class_name, arguments, path=path)


def changed(id_: str, *path: str | int, class_name: str = "Phone", **arguments: Any) -> Update:
    return Update(Reference(class_name, id_), arguments, path=path)


@each_row(
    ("family", "role", "value", "command"),
    [
        (GeneratedType.CREATE, "team", None, ToOneCommand()),
        (GeneratedType.CREATE, "pupils", None, None),
        (GeneratedType.CREATE, "pupils", [], ToManyCommand([])),
        (GeneratedType.CREATE, "home", None, None),
        (
            GeneratedType.CREATE,
            "home",
            {"street": "s"},
            PartsCommand([made("home", class_name="Address", street="s")]),
        ),
        (GeneratedType.CREATE, "phones", [], None),
        (
            GeneratedType.CREATE,
            "phones",
            [None, {"digits": "1"}],
            PartsCommand([made("phones", 1, digits="1")]),
        ),
        (GeneratedType.DRAFT_CREATE, "phones", [{}], PartsCommand([made("phones", 0)])),
        (GeneratedType.UPDATE, "mentor", None, ToOneCommand()),
        (GeneratedType.UPDATE, "mentor", {}, None),
        (GeneratedType.UPDATE, "mentor", {"remove": False}, None),
        (GeneratedType.UPDATE, "mentor", {"remove": None, "set": None}, ToOneCommand()),
        (GeneratedType.UPDATE, "mentor", {"remove": True}, ToOneCommand(None, remove=True)),
        (GeneratedType.UPDATE, "mentor", {"set": "p", "remove": True}, ToOneCommand("p", remove=True)),
        (GeneratedType.UPDATE, "pupils", None, ToManyCommand(remove_all=True)),
        (GeneratedType.UPDATE, "pupils", {}, ToManyCommand([], [])),
        (
            GeneratedType.UPDATE,
            "pupils",
            {"add": ["a", None], "remove": ["b"], "removeAll": True},
            ToManyCommand(["a"], ["b"], remove_all=True),
        ),
        (GeneratedType.UPDATE, "home", None, ENDED),
        (GeneratedType.UPDATE, "home", {"delete": True}, PartsCommand([], [], delete_all=True)),
        (
            GeneratedType.UPDATE,
            "home",
            {"create": {"street": "s"}},
            PartsCommand([made("home", "create", class_name="Address", street="s")], []),
        ),
        (
            GeneratedType.DRAFT_UPDATE,
            "home",
            {"create": None, "update": {"_id": "h", "street": "s"}},
            PartsCommand([], [changed("h", "home", "update", class_name="Address", street="s")]),
        ),
        (GeneratedType.UPDATE, "phones", None, ENDED),
        (
            GeneratedType.UPDATE,
            "phones",
            {"create": [{"digits": "1"}], "update": [None, {"_id": "x"}], "delete": [None, "y"]},
            PartsCommand(
                [made("phones", "create", 0, digits="1")], [changed("x", "phones", "update", 1)], ["y"]
            ),
        ),
        (GeneratedType.UPDATE, "phones", {"deleteAll": True}, PartsCommand([], [], [], delete_all=True)),
        (GeneratedType.DRAFT, "team", None, ToOneCommand()),
        (GeneratedType.DRAFT, "pupils", {"add": ["a"]}, ToManyCommand(["a"], [])),
        (GeneratedType.DRAFT, "home", None, ENDED),
        (
            GeneratedType.DRAFT,
            "home",
            {"street": "s"},
            PartsCommand([made("home", class_name="Address", street="s")]),
        ),
        (
            GeneratedType.DRAFT,
            "home",
            {"_id": "h"},
            PartsCommand(update=[changed("h", "home", class_name="Address")]),
        ),
        (GeneratedType.DRAFT, "phones", None, ENDED),
        (
            GeneratedType.DRAFT,
            "phones",
            {"save": [{"_id": "x"}, None, {"digits": "1"}], "delete": ["y"], "deleteAll": False},
            PartsCommand([made("phones", "save", 2, digits="1")], [changed("x", "phones", "save", 0)], ["y"]),
        ),
    ],
)
def test_role_arguments_become_role_commands(
    family: GeneratedType, role: str, value: Any, command: RoleCommand | None
) -> None:
    found = READING.create(family, PERSON, {role: value}).roles

    assert found == ({} if command is None else {role: command})


def test_a_path_leads_from_a_whole_to_a_part() -> None:
    """However deep the part is: its whole has a path of its own."""
    rooms = {"save": [{"name": "r"}]}

    (address,) = READING.save(PERSON, {"addresses": {"save": [{"rooms": rooms}]}}).roles.values()

    assert isinstance(address, PartsCommand)
    assert address.create[0].path == ("addresses", "save", 0)
    api = address.create[0].roles["rooms"]
    assert isinstance(api, PartsCommand)
    assert api.create[0].path == ("rooms", "save", 0)
