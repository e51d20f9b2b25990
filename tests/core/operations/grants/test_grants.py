"""Grants in operations: the reads that they need, and their evaluation during concurrent writes."""

from dataclasses import replace
from typing import Any, cast

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query
from stratabase.core.domain.write.commands import Command, Delete, UpdateBulk
from stratabase.core.model.types.storage import Stored
from stratabase.core.operations.context import evaluation_context
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.bulk import delete_bulk, update_bulk, validate_bulk
from stratabase.core.operations.write.services import delete, preview, save, validate
from stratabase.values.cel.environment import EvaluationContext
from tests.core.operations.write.recorded_calls import RecordedCalls
from tests.core.schema.grants.guild_api import GUILD, MANAGER, SMITH
from tests.fakes import NOON, fake_services, request_of, unlimited_budget
from tests.graphs.commands import add, create, create_command, delete_command, point, update, update_command

SEEN = evaluation_context(SMITH, NOON)


class GuildServices:
    """Services over in-memory objects of the guild."""

    def __init__(self) -> None:
        self.services, self.entities, _ = fake_services(GUILD)
        self.put("Master", "ada", name="Ada", level=1, email="a", tools=["saw"])
        self.put("Tool", "saw", label="saw", master="ada")
        self.put("Master", "zoe", name="Zoe", level=9, email="z")
        self.put("Team", "red", name="red")
        self.put("Work", "w", label="w", head="ada", open=True)
        self.entities.graph.link(GUILD, RoleName("Master", "works"), "ada", "w")

    def put(self, class_name: str, id_: str, **state: Stored) -> None:
        reference = Reference(class_name, id_)
        self.entities.objects[reference] = Entity(reference, {**state, "_id": id_}, ("before",))

    def write(self, command: Command, caller: Caller = SMITH) -> Any:
        if isinstance(command, Delete):
            return delete(self.services, command, caller)
        return save(self.services, command, caller)

    def refusal(self, command: Command) -> list[str]:
        with pytest.raises(Refused) as refused:
            self.write(command)
        return [issue.type.name for issue in refused.value.issues]

    def calls(self, command: Command, caller: Caller = SMITH) -> list[str]:
        """Return the store calls of a command."""
        noted = RecordedCalls(self.entities)
        self.services = replace(self.services, entities=cast("EntityRepository", noted))
        try:
            self.write(command, caller)
        except Refused:
            noted.calls.append("refused")
        return noted.calls


def test_an_operation_granted_on_no_object_is_refused_without_reading() -> None:
    for command in (
        update_command("Team", "red", name="x"),
        update_command("Vault", "x", code="x"),
        update_command("Master", "ada", salary=1),
        update_command("Master", "ada", boss=point("ada")),
        update_command("Master", "ada", scars=update(update_command("Scar", "x", place="x"))),
        create_command("Team", name="x"),
        create_command("Master", name="x", level=1, rank="x"),
        delete_command("Team", "red"),
    ):
        assert GuildServices().calls(command) == ["refused"]


CALLS: dict[str, tuple[Command, list[str]]] = {
    "a creation": (create_command("Master", name="x", level=1), ["commit"]),
    "an update": (update_command("Master", "ada", name="x"), ["read", "commit"]),
    "an update of a hidden object": (update_command("Master", "zoe", name="x"), ["read", "refused"]),
    "an update of parts": (
        update_command("Master", "ada", tools=update(update_command("Tool", "saw", label="x"))),
        ["read", "commit"],
    ),
    "an update of an association": (update_command("Master", "ada", team=point("red")), ["read", "commit"]),
    "an update of an association to a conditionally visible object": (
        update_command("Work", "w", masters=add("ada")),
        ["read", "are_linked"],
    ),
    "a deletion": (delete_command("Work", "w"), ["read", "read", "read", "commit"]),
}


@pytest.mark.parametrize(("command", "expected"), CALLS.values(), ids=CALLS)
def test_a_write_with_grants_makes_these_calls(command: Command, expected: list[str]) -> None:
    assert GuildServices().calls(command) == expected


def test_unrestricted_callers_make_no_more_calls_than_without_grants() -> None:
    assert GuildServices().calls(create_command("Master", name="x", level=9), MANAGER) == ["commit"]
    assert GuildServices().calls(update_command("Master", "zoe", name="x"), MANAGER) == ["read", "commit"]
    assert GuildServices().calls(delete_command("Team", "red"), MANAGER) == ["read", "commit"]


def hidden_meanwhile(guild: GuildServices, name: str) -> None:
    """Change a master's level before the next commit, as a concurrent write would."""

    def another() -> None:
        guild.entities.before_commit = lambda: None
        guild.write(update_command("Master", name, level=9), MANAGER)

    guild.entities.before_commit = another


def test_a_condition_is_evaluated_for_the_written_object() -> None:
    """Another write raises the level in between, which hides the object."""
    guild = GuildServices()
    hidden_meanwhile(guild, "ada")

    assert guild.refusal(update_command("Master", "ada", name="x")) == ["ENTITY_NOT_FOUND"]
    assert guild.entities.objects[Reference("Master", "ada")].state["name"] == "Ada"


def test_a_condition_is_evaluated_for_the_deleted_object() -> None:
    guild = GuildServices()
    hidden_meanwhile(guild, "ada")

    assert guild.write(delete_command("Master", "ada")) is False
    assert Reference("Master", "ada") in guild.entities.objects


def test_a_condition_is_evaluated_for_each_object_of_a_bulk_service() -> None:
    guild = GuildServices()
    guild.put("Master", "bob", name="Bob", level=1)
    hidden_meanwhile(guild, "bob")

    done = update_bulk(
        guild.services,
        UpdateBulk("Master", {"name": "x"}),
        Query("Master", Order()),
        SMITH,
        unlimited_budget(),
        SEEN,
    )

    assert [each.reference.id for each in done.results] == ["ada"]


def reader(guild: GuildServices, evaluation: EvaluationContext) -> Reader:
    """Return a function that reads the objects of a desk."""
    return Reader(request_of(guild.services.model, guild.services.entities, evaluation))


def test_reading_operations_show_only_visible_objects() -> None:
    guild = GuildServices()
    query = Query("Master", Order())
    everything = evaluation_context(MANAGER, NOON)
    by_email = GUILD.classes["Master"].uniques[0]

    assert reader(guild, SEEN).get(Reference("Master", "zoe")) is None
    assert reader(guild, everything).get(Reference("Master", "zoe")) is not None
    assert reader(guild, SEEN).get_by("Master", by_email, {"email": "z"}) is None
    found = reader(guild, SEEN).page(query)
    assert [each.reference.id for each in found.items] == ["ada"]
    assert len(reader(guild, everything).page(query).items) == 2
    whole = reader(guild, everything).page(query)
    assert [each.reference.id for each in reader(guild, SEEN).confirm(query, whole)] == ["ada"]


def test_unreadable_values_are_absent_from_entities() -> None:
    guild = GuildServices()
    guild.put("Master", "eve", name="Eve", level=1, salary=7, pin="1", diary="d", _createdby="other")
    guild.put("Master", "own", name="Own", level=1, salary=7, pin="1", diary="d", _createdby="smith")

    eve, own = (reader(guild, SEEN).get(Reference("Master", id_)) for id_ in ("eve", "own"))

    assert eve is not None
    assert own is not None
    assert values(eve) == {"_id": "eve", "name": "Eve", "level": 1, "_createdby": "other"}
    assert values(own) == {"_id": "own", "name": "Own", "level": 1, "diary": "d", "_createdby": "smith"}


def values(entity: Entity) -> dict[str, Stored]:
    """Return a state without the values that reading has cached in it."""
    return {name: value for name, value in entity.state.items() if not name.startswith(".")}


def test_bulk_services_and_validations_respect_grants() -> None:
    guild = GuildServices()
    masters, teams = Query("Master", Order()), Query("Team", Order())

    (issue,) = validate_bulk(guild.services, None, teams, SMITH, unlimited_budget(), SEEN)
    assert (issue.type.name, issue.path) == ("ENTITY_GRANT_DELETE", ("options",))
    assert [each.type.name for each in validate(guild.services, delete_command("Team", "red"), SMITH)] == [
        "ENTITY_GRANT_DELETE"
    ]
    with pytest.raises(Refused, match="does not have CREATE permission"):
        preview(guild.services, create_command("Team", name="x"), SMITH)
    with pytest.raises(Refused, match="does not have CREATE permission"):
        preview(
            guild.services,
            create_command("Master", name="x", level=1, tasks=create(create_command("Task", label="x"))),
            SMITH,
        )
    assert len(delete_bulk(guild.services, masters, SMITH, unlimited_budget(), SEEN).results) == 1
    assert Reference("Master", "zoe") in guild.entities.objects
