"""A session of random commands, each compared with the outcome that the reference graph predicts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from random import Random

import pytest

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.change import Effect, EffectIndex, LinkDeletion, ObjectCheck
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Command, Create, Delete, Update
from stratabase.core.operations.context import Services
from stratabase.core.operations.read.pending import PendingWrite
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.services import delete, preview, save, validate
from tests.fakes import ADMINISTRATOR, request_of
from tests.graphs.random_commands import RandomCommands
from tests.graphs.reference_graph import InvalidCommand, ReferenceGraph
from tests.graphs.stored_objects import expected_objects, stored_objects


class SharedIds:
    """A generator of ids that the reference graph can predict."""

    def __init__(self) -> None:
        self.last = 0

    def new(self) -> str:
        self.last += 1
        return f"{self.last:06}"

    def next(self) -> Iterator[str]:
        return (f"{number:06}" for number in count(self.last + 1))


class RandomSession:
    """Services over a store, and the reference graph of its objects."""

    def __init__(self, services: Services, chance: Random) -> None:
        self._services = services
        self._ids = services.ids
        self.graph = ReferenceGraph(services.model)
        self._chance = chance
        self.done = 0

    def run_random_command(self) -> None:
        """Dry-run and run a random command. Assert that both match the reference graph."""
        command = RandomCommands(self.graph, self._chance).command()
        self._check_dry_run(command)
        before, expected = self.graph, self._expected(command)
        if expected is None:
            with pytest.raises(Refused):
                self._write(command)
        else:
            effects = [each for each in self._write(command) if self._is_seen(each)]
            assert bool(effects) == (expected.content() != before.content()), (command, effects)
            self.graph, self.done = expected, self.done + 1
        self._compare(self.graph, before)

    def _write(self, command: Command) -> Sequence[Effect | bool]:
        """Run a command, and return its effects. A deletion returns `[True]`."""
        if isinstance(command, Delete):
            return [True] if delete(self._services, command, ADMINISTRATOR) else []
        return save(self._services, command, ADMINISTRATOR).effects

    def _is_seen(self, effect: Effect | bool) -> bool:
        """Return whether an effect changes the graph. Checks and deletions of broken links do not."""
        if not isinstance(effect, LinkDeletion):
            return not isinstance(effect, ObjectCheck)
        role = self._services.class_(effect.role.class_name).roles[effect.role.role_name]
        return Reference(role.target, effect.other) in self.graph.objects

    def _check_dry_run(self, command: Command) -> None:
        is_right = self._expected(command) is not None
        issues = validate(self._services, command, ADMINISTRATOR)
        assert (not issues) == is_right, (command, issues)
        expected = self._expected(command)
        if expected is not None and isinstance(command, Create | Update):
            would, _ = preview(self._services, command, ADMINISTRATOR)
            pending = PendingWrite(EffectIndex(would.effects, self._services.model))
            self._compare(expected, self.graph, pending)

    def _expected(self, command: Command) -> ReferenceGraph | None:
        assert isinstance(self._ids, SharedIds)
        try:
            return self.graph.after(command, self._ids.next())
        except InvalidCommand:
            return None

    def _compare(
        self, graph: ReferenceGraph, before: ReferenceGraph, pending: PendingWrite | None = None
    ) -> None:
        known = {*graph.objects, *before.objects}
        reader = Reader(request_of(self._services.model, self._services.entities), pending=pending)
        assert stored_objects(reader, graph, known) == expected_objects(graph)

    def delete_everything(self) -> None:
        """Delete all objects, as far as possible. Objects that require each other may stay."""
        size = len(self.graph.objects) + 1
        while len(self.graph.objects) < size:
            size = len(self.graph.objects)
            for reference in [*self.graph.objects]:
                if reference in self.graph.objects and not self._services.class_(reference.class_name).part:
                    self._delete_if_possible(reference)
        self._compare(self.graph, self.graph)

    def _delete_if_possible(self, reference: Reference) -> None:
        expected = self._expected(Delete(reference))
        if expected is not None:
            assert delete(self._services, Delete(reference), ADMINISTRATOR)
            self.graph = expected


def run_session(services: Services, chance: Random, requests: int) -> RandomSession:
    """Run a number of random commands, and return the session."""
    session = RandomSession(replace(services, ids=SharedIds()), chance)
    for _ in range(requests):
        session.run_random_command()
    return session
