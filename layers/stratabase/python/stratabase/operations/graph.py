"""One command, gathered, decided, and done or rehearsed, once more whenever another write came between."""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from stratabase.domain.change import Broken, Change, Conflict, Taken, TooLarge
from stratabase.domain.command import Command
from stratabase.domain.graph.decision import Decision, decided
from stratabase.domain.graph.explanation import explained, is_outdated
from stratabase.domain.graph.graph import Setting
from stratabase.domain.graph.names import ClientIds, Names
from stratabase.domain.graph.untaken import without_taken
from stratabase.domain.issue import Issue
from stratabase.domain.matching import Test
from stratabase.domain.member import Caller
from stratabase.domain.refusal import Refused, Unavailable
from stratabase.domain.snapshot import Snapshot
from stratabase.operations.gather import answer
from stratabase.operations.world import World
from stratabase.operations.write import MOST_ROUNDS
from stratabase.operations.written import Written


class Judgement(NamedTuple):
    """What a command comes to, the change that does it, and everything that is wrong with it."""

    decision: Decision
    change: Change
    issues: list[Issue]

    def written(self) -> Written:
        """Return what the client is told."""
        entity = self.decision.entity
        assert entity is not None
        return Written(entity, self.change.effects, self.decision.graph.setting.names.client_ids)


class NotMeant(Exception):
    """The object is not there, or none that the write is meant for."""


class GraphWrite:
    """A command on a whole graph of objects. Its new objects keep their ids through all rounds.

    `meant`: which objects the command is for, by their state when it is done; all unless given.
    """

    def __init__(
        self,
        world: World,
        command: Command,
        caller: Caller,
        earlier: ClientIds | None = None,
        meant: Test | None = None,
    ) -> None:
        self._world = world
        self._meant = meant
        self._command = command
        self._caller = caller
        self._serials = Snapshot().serials
        self.names = Names(command, world.ids.new, earlier)

    def done(self) -> Judgement:
        """Do it. Raises Refused with every issue, Unavailable as `write` does, NotMeant."""
        judgement = self._in_rounds(self._commit)
        if judgement.issues:
            raise Refused(judgement.issues)
        return judgement

    def rehearsed(self) -> Judgement:
        """Return what would be done. Raises Unavailable, NotMeant."""
        return self._in_rounds(self._rehearse)

    @property
    def _is_stored(self) -> bool:
        """Whether the store has a say: a form is never stored."""
        return self._world.class_(self.names.root.class_name).is_stored

    def _in_rounds(self, round_: Callable[[], Judgement]) -> Judgement:
        for _ in range(MOST_ROUNDS):
            with suppress(Conflict):
                return round_()
        raise Unavailable("other writes to the same objects kept coming between; try again")

    def _commit(self) -> Judgement:
        """Do it, or only find out what else is wrong when something is. Raises Conflict."""
        decision, change = self._decided(numbering=True)
        entities = self._world.entities
        return self._tried(decision, change, entities.rehearse if decision.issues else entities.commit)

    def _rehearse(self) -> Judgement:
        decision, change = self._decided(numbering=False)
        return self._tried(decision, change, self._world.entities.rehearse)

    def _decided(self, *, numbering: bool) -> tuple[Decision, Change]:
        """Gather and decide. Raises NotMeant."""
        snapshot, now = self._snapshot(), self._world.clock.now()
        setting = Setting(self._world.model, self.names, self._caller, now, snapshot)
        while True:
            # At first nothing is known: then the command itself tells what is needed, all in one round.
            decision = decided(self._command, setting, numbering=numbering)
            if not snapshot.lacking:
                return decision, Change(self._world.ids.new(), now, decision.effects)
            answer(self._world.entities, snapshot)
            self._check_meant(snapshot)

    def _snapshot(self) -> Snapshot:
        """Return a snapshot in which nothing is known, and what must be there is lacking."""
        snapshot = Snapshot(serials=self._serials)
        for reference in () if self.names.is_too_much else self.names.there:
            snapshot.entity(reference)
        return snapshot

    def _check_meant(self, snapshot: Snapshot) -> None:
        if self._meant is not None:
            before = snapshot.entity(self.names.root)
            if before is None or not self._meant(before.state):
                raise NotMeant

    def _tried(self, decision: Decision, change: Change, act: Callable[[Change], None]) -> Judgement:
        """Return the judgement of a decision when the store has had its say. Raises Conflict."""
        issues = decision.issues
        try:
            if change.effects and self._is_stored:
                act(change)
        except Broken as refusal:
            if is_outdated(decision, refusal):
                raise Conflict from None
            issues = issues + explained(decision, refusal)
        except TooLarge as refusal:
            issues = issues + explained(decision, refusal)
        except Taken as refusal:
            issues = [*issues, *explained(decision, refusal), *self._beside(decision, change, refusal)]
        return Judgement(decision, change, issues)

    def _beside(self, decision: Decision, change: Change, taken: Taken) -> list[Issue]:
        """Return what else the store has against a change in which values are taken."""
        try:
            self._world.entities.rehearse(without_taken(change, taken))
        except (Broken, TooLarge) as refusal:
            return explained(decision, refusal)
        except (Taken, Conflict):
            pass
        return []
