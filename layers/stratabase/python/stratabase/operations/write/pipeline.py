"""One write: load, plan, check, and commit or only try; again whenever another write came between."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from stratabase.domain.access.grants import access_of
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.member import Caller
from stratabase.domain.objects.change import Change
from stratabase.domain.objects.commit_refusals import Conflict
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.domain.refusal import Refused, Unavailable
from stratabase.domain.write.commands import AnyCommand, Delete, Restore
from stratabase.domain.write.plan import WritePlan, plan_write
from stratabase.domain.write.request import WriteContext
from stratabase.domain.write.request_ids import ClientIds, RequestIds
from stratabase.domain.write.snapshot import Snapshot
from stratabase.model.expressions import Circumstances
from stratabase.operations.fetching.known import Known
from stratabase.operations.past import Past
from stratabase.operations.services import Services
from stratabase.operations.write.attempt import Act, attempt
from stratabase.operations.write.load import load_missing
from stratabase.operations.write.options import DEFAULT_OPTIONS, WriteOptions
from stratabase.operations.write.outcome import WriteOutcome
from stratabase.operations.write.permissions import unmet_permissions
from stratabase.operations.write.warnings import MetWarning, met_warnings

MOST_ROUNDS = 500
"""After which a write gives up against others that keep coming between."""


LONGEST = 20_000
"""Milliseconds after which a restoration gives up against others: each of its rounds may take seconds."""


_SHORT = 3
"""Rounds that it has in any case."""


Selects = Callable[[Entity], bool]
"""Tells of an object, as it was read for a plan, whether a command is for it."""


class NotSelected(Exception):
    """The object is not there, or none that the write is meant for."""


class Write:
    """A command on a whole request of objects. Its new objects keep their ids through all rounds.

    `earlier`: what the client calls objects that it wrote before. `meant`: which objects the command is for,
    as they are when it is done; all unless given. `validates`: the outcome also reports what
    is required and still empty.
    """

    def __init__(  # noqa: PLR0913 - what is to be written, by whom, and how
        self,
        world: Services,
        command: AnyCommand,
        caller: Caller,
        earlier: ClientIds | None = None,
        *,
        options: WriteOptions = DEFAULT_OPTIONS,
        meant: Selects | None = None,
        validates: bool = False,
    ) -> None:
        self._world = world
        self._terms = options
        self._meant = meant
        self._validates = validates
        self._command = command
        self._caller = caller
        self._access = access_of(world.model, caller.profile)
        self._serials = Snapshot().serials
        self._settled: set[Reference] = set()
        """Of which it has been seen once whether earlier writes have left something."""
        self.names = RequestIds(command, world.ids.new, earlier)

    def commit(self) -> WriteOutcome:
        """Do it. Raises Refused with every issue, Unavailable as `write` does, NotMeant."""
        outcome = self._in_rounds(self._commit)
        if outcome.issues:
            raise Refused(outcome.issues)
        return outcome

    def dry_run(self) -> WriteOutcome:
        """Return what would be done. Raises Unavailable, NotMeant."""
        return self._in_rounds(self._rehearse)

    def forbidden_issues(self) -> list[Issue]:
        """Return what the command asks for that is allowed with no object; nothing is read for that."""
        plan = plan_write(self._command, self._setting(Snapshot(), 0), numbering=False)
        return plan.issues if plan.is_forbidden else []

    @property
    def _is_stored(self) -> bool:
        """Whether the store has a say: a form is never stored."""
        return self._world.class_(self.names.root.class_name).is_stored

    def _in_rounds(self, round_: Callable[[], WriteOutcome]) -> WriteOutcome:
        end = self._world.clock.now() + LONGEST
        for number in range(MOST_ROUNDS):
            with suppress(Conflict):
                return round_()
            if number > _SHORT and isinstance(self._command, Restore) and self._world.clock.now() > end:
                break
        raise Unavailable("other writes to the same objects kept coming between; try again")

    def _commit(self) -> WriteOutcome:
        """Do it, or only find out what else is wrong when something is. Raises Conflict."""
        plan, change = self._decided(numbering=True)
        if refusal := self._not_allowed(plan, change):
            return refusal
        if plan.is_locked:  # which is reason enough
            return WriteOutcome(plan, change, plan.issues)
        return self._judged(plan, change, self._world.entities.commit)

    def _rehearse(self) -> WriteOutcome:
        plan, change = self._decided(numbering=False)
        return self._not_allowed(plan, change) or self._judged(plan, change, self._world.entities.dry_run)

    def _not_allowed(self, plan: WritePlan, change: Change) -> WriteOutcome | None:
        """Return the outcome of what grants do not allow, which is all that is told. Raises TooMuchRead."""
        if not plan.required_permissions:
            return None
        allowance, circumstances = self._reading(change.instant)
        issues = unmet_permissions(self._world, plan, circumstances, allowance)
        if not issues:
            return None
        nothing = replace(change, effects=())
        is_deletion = isinstance(self._command, Delete)
        is_hidden = all(issue.type is IssueType.ENTITY_NOT_FOUND for issue in issues)
        issues = [] if is_deletion and is_hidden else issues
        return WriteOutcome(plan, nothing, issues, is_allowed=False)

    def _judged(self, plan: WritePlan, change: Change, act: Act) -> WriteOutcome:
        """Return the outcome, when it was done if it is good. Raises Conflict, TooMuchRead."""
        warnings, entities = self._warned(plan, change), self._world.entities
        issues = [*plan.issues]
        if change.effects and self._is_stored:
            act = entities.dry_run if issues or warnings else act
            issues += attempt(self._world, plan, change, act, partial(self._sees, change.instant))
        plain = [warning.issue for warning in warnings if not warning.is_doubtful(issues)]
        return WriteOutcome(plan, change, [*issues, *plain], reports=plan.reports)

    def _warned(self, plan: WritePlan, change: Change) -> list[MetWarning]:
        """Return the warnings that stop it. Raises TooMuchRead."""
        if not plan.effects or not self._world.warning_rules.are_there:
            return []
        allowance, circumstances = self._reading(change.instant)
        found = met_warnings(self._world, plan, circumstances, allowance)
        return [warning for warning in found if warning.rule.rule.blocking or not self._terms.force]

    def _decided(self, *, numbering: bool) -> tuple[WritePlan, Change]:
        """Gather and decide. Raises NotMeant, Conflict."""
        snapshot = self._snapshot()
        while True:
            now = self._world.clock.now()  # after all was read: a lock that ends meanwhile is in nobody's way
            context = self._setting(snapshot, now)
            # At first nothing is known: then the command itself tells what is needed, all in one round.
            plan = plan_write(self._command, context, numbering=numbering)
            if plan.is_forbidden or not snapshot.missing:
                self._settle(plan)
                # Of what is known to be locked, the store need not tell that again.
                by = None if plan.is_locked else self._caller.id
                commit_id = self._world.ids.new()
                root = self.names.root if isinstance(self._command, Restore) else None
                return plan, Change(commit_id, plan.instant, plan.effects, by, now, root)
            look_back = partial(self._look_back, now)
            load_missing(self._world.entities, snapshot, partial(self._look, context), look_back)
            self._check_meant(snapshot)

    def _settle(self, plan: WritePlan) -> None:
        """Raise Conflict when something has been ended on which the plan depends. Raises Unavailable."""
        unsettled = plan.request.unfinished.keys()
        if unsettled and (
            self._world.entities.finish_cleanup([*unsettled]) or not unsettled <= self._settled
        ):
            self._settled |= unsettled
            raise Conflict

    def _setting(self, snapshot: Snapshot, now: Instant) -> WriteContext:
        return WriteContext(
            self._world.model, self.names, self._caller, now, snapshot, self._access, self._validates
        )

    def _look(self, context: WriteContext, entities: Sequence[Entity]) -> list[bool]:
        """Return of objects whether the caller sees them. Raises TooMuchRead."""
        allowance, circumstances = self._reading(context.now)
        known = Known(self._world.entities, self._world.model, allowance, circumstances=circumstances)
        read = (entity for entity in context.snapshot.entities.values() if entity is not None)
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

    def _reading(self, now: Instant) -> tuple[ReadBudget, Circumstances]:
        """Return what conditions may read, and what they know."""
        allowance = self._terms.allowance or self._world.new_budget()
        return allowance, self._terms.circumstances_of(self._caller, now)

    def _snapshot(self) -> Snapshot:
        """Return a snapshot in which nothing is known, and what must be there is lacking."""
        snapshot = Snapshot(serials=self._serials)
        for reference in () if self.names.exceeds_limit else self.names.existing:
            snapshot.entity(reference)
        return snapshot

    def _check_meant(self, snapshot: Snapshot) -> None:
        if self._meant is not None:
            before = snapshot.entity(self.names.root)
            if before is None or not self._meant(before):
                raise NotSelected
