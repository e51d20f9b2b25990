"""Grants in operations: the reads that they need, and their evaluation during concurrent writes."""

from dataclasses import replace
from typing import Any, cast

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.write.commands import Command, Delete
from stratabase.core.model.types.base import Stored
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.services import delete, save
from stratabase.values.cel.environment import EvaluationContext
from tests.core.operations.write.recorded_calls import RecordedCalls
from tests.core.schema.grants.guild_api import GUILD, MANAGER, SMITH
from tests.fakes import fake_services, request_of
from tests.graphs.commands import add, create_command, delete_command, point, update, update_command
from tests.rows import each_row


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


@each_row(("command", "expected"), CALLS.values())
def test_a_write_with_grants_makes_these_calls(command: Command, expected: list[str]) -> None:
    assert GuildServices().calls(command) == expected


def test_unrestricted_callers_make_no_more_calls_than_without_grants() -> None:
    assert GuildServices().calls(create_command("Master", name="x", level=9), MANAGER) == ["commit"]
    assert GuildServices().calls(update_command("Master", "zoe", name="x"), MANAGER) == ["read", "commit"]
    assert GuildServices().calls(delete_command("Team", "red"), MANAGER) == ["read", "commit"]


def reader(guild: GuildServices, evaluation: EvaluationContext) -> Reader:
    """Return a function that reads the objects of a desk."""
    return Reader(request_of(guild.services.model, guild.services.entities, evaluation))


def values(entity: Entity) -> dict[str, Stored]:
    """Return a state without the values that reading has cached in it."""
    return {name: value for name, value in entity.state.items() if not name.startswith(".")}
