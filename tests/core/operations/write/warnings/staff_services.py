"""A model with warnings of every kind, and an in-memory store of its objects."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.write.commands import Command, Delete
from stratabase.core.model.reading import read_model_file
from stratabase.core.model.types.base import Stored
from stratabase.core.operations.write.options import WriteOptions, WriteResult
from stratabase.core.operations.write.services import delete, save, validate
from tests.fakes import ADMINISTRATOR, fake_services

FILE = Path(__file__).parent / "office.graphql"
MODEL = read_model_file(FILE)


class StaffServices:
    """An in-memory store, and services that write to it."""

    def __init__(self) -> None:
        self.services, self.entities, self.clock = fake_services(MODEL)

    def put(self, class_name: str, id_: str, **state: Stored) -> Reference:
        """Store an object without validation."""
        reference = Reference(class_name, id_)
        self.entities.objects[reference] = Entity(reference, {**state, "_id": id_}, ("before",))
        return reference

    def link(self, role: str, owner: str, *others: str) -> None:
        """Link a person to others by a role."""
        for other in others:
            self.entities.graph.link(MODEL, RoleName("Person", role), owner, other)

    def write(self, command: Command, caller: Caller = ADMINISTRATOR, *, force: bool = False) -> WriteResult:
        """Run a command that is not a deletion. Raises Refused."""
        assert not isinstance(command, Delete)
        return save(self.services, command, caller, options=WriteOptions(force))

    def delete(self, class_name: str, id_: str) -> bool:
        """Delete an object. Raises Refused."""
        return delete(self.services, Delete(Reference(class_name, id_)), ADMINISTRATOR)

    def refusal(
        self, command: Command, caller: Caller = ADMINISTRATOR, *, force: bool = False
    ) -> list[tuple[Any, ...]]:
        """Return the issues of a refused command. Assert that validation returns the same."""
        before = self.entities.graph
        with pytest.raises(Refused) as refusal:
            self.write(command, caller, force=force)
        assert self.entities.graph is before
        found = [warning_names(issue) for issue in refusal.value.issues]
        rehearsed = validate(self.services, command, caller, options=WriteOptions(force))
        assert [warning_names(issue) for issue in rehearsed] == found
        return found


def warning_names(issue: Issue) -> tuple[Any, ...]:
    """Return the fields of an issue that tables of test cases contain."""
    if issue.type.name == "ENTITY_DOMAIN":
        return issue.message, issue.entity_name, issue.entity_id, ".".join(map(str, issue.path))
    names = issue.role_names or issue.attribute_names
    return issue.type.name, issue.entity_name, *names, ".".join(map(str, issue.path))


BOB = replace(ADMINISTRATOR, id="m2", username="bob")
