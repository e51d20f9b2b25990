"""One command, gathered, decided, and done or rehearsed, once more whenever another write came between."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from stratabase.domain.access import access_of
from stratabase.domain.allowance import Allowance
from stratabase.domain.change import Change, Conflict
from stratabase.domain.command import AnyCommand, Delete, Restore
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.graph.decision import Decision, decided
from stratabase.domain.graph.graph import Setting
from stratabase.domain.graph.names import ClientIds, Names
from stratabase.domain.instant import Instant
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.member import Caller
from stratabase.domain.refusal import Refused, Unavailable
from stratabase.domain.role_name import RoleName
from stratabase.domain.snapshot import Snapshot
from stratabase.model.expressions import Circumstances
from stratabase.operations.fetching.known import Known
from stratabase.operations.gather import answer
from stratabase.operations.grants import refusals
from stratabase.operations.judgement import Judgement
from stratabase.operations.past import Past
from stratabase.operations.terms import PLAINLY, Terms
from stratabase.operations.trial import Act, tried
from stratabase.operations.warnings import Warned, warned
from stratabase.operations.world import World
from stratabase.operations.write import MOST_ROUNDS

LONGEST = 20_000
"""Milliseconds after which a restoration gives up against others: each of its rounds may take seconds."""
_SHORT = 3
"""Rounds that it has in any case."""

Meant = Callable[[Entity], bool]
"""Tells of an object, as it was read for a decision, whether a command is for it."""


class NotMeant(Exception):
    """The object is not there, or none that the write is meant for."""


class GraphWrite:
    """A command on a whole graph of objects. Its new objects keep their ids through all rounds.

    `earlier`: what the client calls objects that it wrote before. `meant`: which objects the command is for,
    as they are when it is done; all unless given. `validates`: the judgement also reports what
    is required and still empty.
    """

    def __init__(  # noqa: PLR0913 - what is to be written, by whom, and how
        self,
        world: World,
        command: AnyCommand,
        caller: Caller,
        earlier: ClientIds | None = None,
        *,
        terms: Terms = PLAINLY,
        meant: Meant | None = None,
        validates: bool = False,
    ) -> None:
        self._world = world
        self._terms = terms
        self._meant = meant
        self._validates = validates
        self._command = command
        self._caller = caller
        self._access = access_of(world.model, caller.profile)
        self._serials = Snapshot().serials
        self._settled: set[Reference] = set()
        """Of which it has been seen once whether earlier writes have left something."""
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

    def forbidden(self) -> list[Issue]:
        """Return what the command asks for that is allowed with no object; nothing is read for that."""
        decision = decided(self._command, self._setting(Snapshot(), 0), numbering=False)
        return decision.issues if decision.is_forbidden else []

    @property
    def _is_stored(self) -> bool:
        """Whether the store has a say: a form is never stored."""
        return self._world.class_(self.names.root.class_name).is_stored

    def _in_rounds(self, round_: Callable[[], Judgement]) -> Judgement:
        end = self._world.clock.now() + LONGEST
        for number in range(MOST_ROUNDS):
            with suppress(Conflict):
                return round_()
            if number > _SHORT and isinstance(self._command, Restore) and self._world.clock.now() > end:
                break
        raise Unavailable("other writes to the same objects kept coming between; try again")

    def _commit(self) -> Judgement:
        """Do it, or only find out what else is wrong when something is. Raises Conflict."""
        decision, change = self._decided(numbering=True)
        if refusal := self._not_allowed(decision, change):
            return refusal
        if decision.is_held:  # which is reason enough
            return Judgement(decision, change, decision.issues)
        return self._judged(decision, change, self._world.entities.commit)

    def _rehearse(self) -> Judgement:
        decision, change = self._decided(numbering=False)
        return self._not_allowed(decision, change) or self._judged(
            decision, change, self._world.entities.rehearse
        )

    def _not_allowed(self, decision: Decision, change: Change) -> Judgement | None:
        """Return the judgement of what grants do not allow, which is all that is told. Raises TooMuchRead."""
        if not decision.demands:
            return None
        allowance, circumstances = self._reading(change.instant)
        issues = refusals(self._world, decision, circumstances, allowance)
        if not issues:
            return None
        nothing = replace(change, effects=())
        is_deletion = isinstance(self._command, Delete)
        is_hidden = all(issue.type is IssueType.ENTITY_NOT_FOUND for issue in issues)
        issues = [] if is_deletion and is_hidden else issues
        return Judgement(decision, nothing, issues, is_allowed=False)

    def _judged(self, decision: Decision, change: Change, act: Act) -> Judgement:
        """Return the judgement, when it was done if it is good. Raises Conflict, TooMuchRead."""
        warnings, entities = self._warned(decision, change), self._world.entities
        issues = [*decision.issues]
        if change.effects and self._is_stored:
            act = entities.rehearse if issues or warnings else act
            issues += tried(self._world, decision, change, act, partial(self._sees, change.instant))
        plain = [warning.issue for warning in warnings if not warning.is_doubtful(issues)]
        return Judgement(decision, change, [*issues, *plain], reports=decision.reports)

    def _warned(self, decision: Decision, change: Change) -> list[Warned]:
        """Return the warnings that stop it. Raises TooMuchRead."""
        if not decision.effects or not self._world.warning_rules.are_there:
            return []
        allowance, circumstances = self._reading(change.instant)
        found = warned(self._world, decision, circumstances, allowance)
        return [warning for warning in found if warning.rule.rule.blocking or not self._terms.force]

    def _decided(self, *, numbering: bool) -> tuple[Decision, Change]:
        """Gather and decide. Raises NotMeant, Conflict."""
        snapshot = self._snapshot()
        while True:
            now = self._world.clock.now()  # after all was read: a lock that ends meanwhile is in nobody's way
            setting = self._setting(snapshot, now)
            # At first nothing is known: then the command itself tells what is needed, all in one round.
            decision = decided(self._command, setting, numbering=numbering)
            if decision.is_forbidden or not snapshot.lacking:
                self._settle(decision)
                # Of what is known to be locked, the store need not tell that again.
                by = None if decision.is_held else self._caller.id
                commit_id = self._world.ids.new()
                root = self.names.root if isinstance(self._command, Restore) else None
                return decision, Change(commit_id, decision.instant, decision.effects, by, now, root)
            look_back = partial(self._look_back, now)
            answer(self._world.entities, snapshot, partial(self._look, setting), look_back)
            self._check_meant(snapshot)

    def _settle(self, decision: Decision) -> None:
        """Raise Conflict when something has been ended on which the decision depends. Raises Unavailable."""
        unsettled = decision.graph.unsettled.keys()
        if unsettled and (self._world.entities.settle([*unsettled]) or not unsettled <= self._settled):
            self._settled |= unsettled
            raise Conflict

    def _setting(self, snapshot: Snapshot, now: Instant) -> Setting:
        return Setting(
            self._world.model, self.names, self._caller, now, snapshot, self._access, self._validates
        )

    def _look(self, setting: Setting, entities: Sequence[Entity]) -> list[bool]:
        """Return of objects whether the caller sees them. Raises TooMuchRead."""
        allowance, circumstances = self._reading(setting.now)
        known = Known(self._world.entities, self._world.model, allowance, circumstances=circumstances)
        read = (entity for entity in setting.snapshot.entities.values() if entity is not None)
        return [entity is not None for entity in known.admitted(entities, read)]

    def _look_back(self, now: Instant, versions: Sequence[Entity], at: Instant) -> list[bool]:
        """Return of objects as they were at an instant whether the caller sees that. Raises TooMuchRead."""
        past = Past(self._world, *self._reading(now))
        return [version is not None for version in past.known(at).admitted(versions)]

    def _sees(self, now: Instant, entities: Sequence[Entity], role: RoleName) -> list[bool]:
        """Return of objects whether the caller sees where a role of theirs leads. Raises TooMuchRead."""
        allowance, circumstances = self._reading(now)
        known = Known(self._world.entities, self._world.model, allowance, circumstances=circumstances)
        seen = known.admitted(entities)
        return [each is not None and known.tells(each.reference, role.role_name) for each in seen]

    def _reading(self, now: Instant) -> tuple[Allowance, Circumstances]:
        """Return what conditions may read, and what they know."""
        allowance = self._terms.allowance or self._world.allowance()
        return allowance, self._terms.circumstances_of(self._caller, now)

    def _snapshot(self) -> Snapshot:
        """Return a snapshot in which nothing is known, and what must be there is lacking."""
        snapshot = Snapshot(serials=self._serials)
        for reference in () if self.names.is_too_much else self.names.there:
            snapshot.entity(reference)
        return snapshot

    def _check_meant(self, snapshot: Snapshot) -> None:
        if self._meant is not None:
            before = snapshot.entity(self.names.root)
            if before is None or not self._meant(before):
                raise NotMeant
