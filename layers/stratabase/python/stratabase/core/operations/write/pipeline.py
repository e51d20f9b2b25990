"""One write: load, plan, check, then commit or only try. It starts again after a concurrent write."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from random import uniform

from stratabase.core.domain.access.grants import access_of
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue, IssueType, Path
from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.objects.entity import Entity, Reference, SerialName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.write.commands import AnyCommand, ClientIds, Delete, RequestIds, Restore, Update
from stratabase.core.domain.write.effects import author_of
from stratabase.core.domain.write.plan import WritePlan, assign_numbers, find_excess, plan_write
from stratabase.core.domain.write.request import WriteContext
from stratabase.core.domain.write.snapshot import Snapshot
from stratabase.core.operations.context import Services, check_time
from stratabase.core.operations.files.bind import UploadLost, copy_uploads
from stratabase.core.operations.write.claims import Claims, TooManyClaims
from stratabase.core.operations.write.commit_or_explain import CommitOrDryRun, commit_or_explain
from stratabase.core.operations.write.load import CallerVisibility, StateReaders, load_missing
from stratabase.core.operations.write.options import NO_OPTIONS, CommitRecorder, WriteOptions, WriteOutcome
from stratabase.core.operations.write.permissions import unmet_permissions
from stratabase.core.operations.write.warnings import MetWarning, claims_and_warnings
from stratabase.core.waiting import remaining_seconds
from stratabase.values.messages import _

MAX_WRITE_ROUNDS = 500
"""Rounds before a write gives up because of concurrent writes."""
_MAX_RESTORATION_DURATION = 20_000
"""Milliseconds before a restoration gives up. Each of its rounds may take seconds."""
_MIN_RESTORATION_ROUNDS = 4
"""Rounds that a restoration has in any case."""
_FIRST_PAUSE = 0.01
"""The upper limit of the first pause between rounds, in seconds. It doubles each time."""
_MAX_PAUSE = 0.2
"""The upper limit of all pauses between rounds, in seconds."""
Selects = Callable[[Entity], bool]
"""Returns whether a command applies to an object, in the state that was read for the plan."""


class _Mode(Enum):
    """How far a write goes."""

    PLAN = "plan"
    """Find the issues that the plan has, without asking the store for more."""
    DRY = "dry run"
    """Find all issues, and write nothing."""
    REHEARSAL = "rehearsal"
    """Find all issues, and commit to a fork. Files are not copied, and serial numbers stay null."""
    COMMIT = "commit"


class NoLongerMatches(Exception):
    """The object does not exist, or the write does not apply to it."""


class Write:
    """One command on an object, its parts and associations. New objects have the same ids in all rounds."""

    def __init__(  # noqa: PLR0913 - what is to be written, by whom, and how
        self,
        services: Services,
        command: AnyCommand,
        caller: Caller,
        earlier: ClientIds | None = None,
        *,
        options: WriteOptions = NO_OPTIONS,
        selects: Selects | None = None,
        validates: bool = False,
        new_id: Callable[[], str] | None = None,
    ) -> None:
        """`earlier` has the client ids of objects that the same request has written before.

        `selects` restricts the command to objects in a certain state. If `validates`, the outcome also
        reports required values that are still empty. `new_id` returns the ids of objects that the command
        creates, by default those of `services.ids`.
        """
        self._services = services
        self._command = command
        self._caller = caller
        self._options = options
        self._selects = selects
        self._validates = validates
        self._access = access_of(services.model, caller.profile)
        self._visibility = CallerVisibility(services, caller, options)
        self._ids = RequestIds(command, new_id or services.ids.new, earlier)
        self._excess = find_excess(command, self._ids, services.model)
        self._serials: dict[tuple[SerialName, Path], int] = {}
        """The serial numbers of new objects, which stay the same in all rounds."""
        self._lost_uploads: dict[str, None] = {}
        """The IDs of uploads whose bytes are missing, although the ledger has them."""
        self._settled: set[Reference] = set()
        """The objects whose cleanup by `finish_cleanup` was done once."""

    def commit(self) -> WriteOutcome:
        """Commit the write.

        Raises Refused with all issues, ReadBudgetExceeded, Unavailable, NoLongerMatches.
        """
        outcome = self._in_rounds(_Mode.COMMIT)
        if outcome.issues:
            raise Refused(outcome.issues)
        return outcome

    def dry_run(self, *, asks_store: bool = True) -> WriteOutcome:
        """Return the outcome that a commit would have, without writing.

        `asks_store`: whether the issues include those that only the store finds. Otherwise, pass the change
        of the outcome to `WritableObjects.may_refuse`.
        Raises ReadBudgetExceeded, Unavailable, NoLongerMatches.
        """
        return self._in_rounds(_Mode.DRY if asks_store else _Mode.PLAN)

    def rehearse(self) -> WriteOutcome:
        """Return the outcome of a dry run, and commit the write to a fork of the stored objects.

        The following writes to the fork then find what this one has done. Raises as `dry_run` does.
        """
        return self._in_rounds(_Mode.REHEARSAL)

    def forbidden_issues(self) -> list[Issue]:
        """Return the issues of what the caller may do with no object at all. Nothing is read."""
        plan = plan_write(self._command, self._context(Snapshot(), 0), numbering=False)
        return plan.issues if plan.is_forbidden else []

    def _in_rounds(self, mode: _Mode) -> WriteOutcome:
        """Return the outcome of a round.

        Another round begins only if the last one certainly wrote nothing. From the third one on, the write
        waits for a random time before, so that writes of the same objects do not disturb one another again.
        """
        is_restoration = isinstance(self._command, Restore)
        end = self._services.clock.now() + _MAX_RESTORATION_DURATION if is_restoration else None
        for number in range(1, MAX_WRITE_ROUNDS + 1):
            try:
                return self._round(mode)
            except Conflict:
                is_long = end is not None and self._services.clock.now() > end
            if is_long and number > _MIN_RESTORATION_ROUNDS:
                break
            # The first loss may have no other reason than the own cleanup of an earlier write.
            if number > 1:
                pause = uniform(0, min(_MAX_PAUSE, _FIRST_PAUSE * 2 ** (number - 2)))  # noqa: S311 - no secret
                if pause >= remaining_seconds():
                    break
                self._services.pause(pause)
        raise Unavailable(_("Concurrent writes to the same objects prevented this write. Try again."))

    def _round(self, mode: _Mode) -> WriteOutcome:
        """Plan and commit the write, or find out everything that prevents it. Raises Conflict."""
        # 1. Load and plan until the plan is complete.
        plan, now = self._plan(numbering=mode is _Mode.COMMIT)
        if plan.request.unfinished:
            self._settle(plan)
        is_blocked = bool(plan.request.issues) and plan.is_blocked
        change = self._change(plan, now, mode, is_blocked=is_blocked)
        # 2. Check grants. If they forbid the write, report nothing else: it could reveal what is hidden.
        unmet = unmet_permissions(self._state_readers(plan)) if plan.required_permissions else []
        if unmet:
            return self._not_allowed(plan, change, unmet)
        # 3. Stop at a lock of another member, or an unexpected version. Do not ask the store for more issues.
        if is_blocked and mode is _Mode.COMMIT:
            return WriteOutcome(plan, change, plan.issues)
        # 4. Evaluate warnings, which stop a write unless it is forced. Claim the objects of blocking ones.
        warnings: Sequence[MetWarning] = ()
        if plan.effects and self._services.warning_rules.exist:
            try:
                claims, warnings = self._claims_and_warnings(plan)
            except TooManyClaims as refusal:
                return WriteOutcome(plan, change, [*plan.issues, refusal.issue], reports=plan.reports)
            if claims.claimed:
                change = replace(change, claims=claims.claimed)
        # 5. Commit. If there are issues already, only find out whether the store has more.
        check_time()
        issues = [*plan.request.issues]
        is_stored = change.effects and self._services.model.classes[self._ids.root.class_name].is_stored
        if is_stored and mode is not _Mode.PLAN:
            issues += self._store_issues(plan, change, _Mode.DRY if issues or warnings else mode)
        issues += [each.issue for each in warnings if not each.is_doubtful(issues)]
        return WriteOutcome(plan, change, issues, reports=plan.request.reports)

    def _store_issues(self, plan: WritePlan, change: Change, mode: _Mode) -> list[Issue]:
        """Commit a change, or find out whether the store would. Return the issues if it refuses."""
        commit_or_dry_run: CommitOrDryRun = self._services.entities.dry_run
        if mode is _Mode.REHEARSAL:
            commit_or_dry_run = self._services.entities.commit
        elif mode is _Mode.COMMIT:
            commit_or_dry_run = self._services.entities.commit
            if self._options.recorder is not None:
                commit_or_dry_run = self._recorded_commit(plan, change, self._options.recorder)
            if plan.request.files:
                self._copy_uploads(plan)
        return commit_or_explain(plan, change, commit_or_dry_run, self._visibility)

    def _recorded_commit(self, plan: WritePlan, change: Change, recorder: CommitRecorder) -> CommitOrDryRun:
        """Return the function that commits the change of a plan with its idempotency record."""
        commit, outcome = self._services.entities.commit, WriteOutcome(plan, change, [], reports=plan.reports)
        return lambda _change: recorder.commit(outcome, commit)

    def _plan(self, *, numbering: bool) -> tuple[WritePlan, Instant]:
        """Return the complete plan, and the instant after its last load. Raises NoLongerMatches."""
        snapshot = Snapshot(serials=self._serials, uploads={**self._lost_uploads})
        for reference in () if self._excess else self._ids.existing:
            snapshot.entity(reference)
        if self._reads_its_object_only:
            self._load(snapshot, self._services.clock.now())
        while True:
            # Read the clock after the objects: a lock that ended in the meantime must not stop the write.
            now = self._services.clock.now()
            # From an empty snapshot, the plan lists all that the command names, so that one batch loads it.
            plan = plan_write(self._command, self._context(snapshot, now), numbering=numbering)
            if plan.is_complete:
                return plan, now
            lacks_only_numbers = plan.lacks_only_numbers
            self._load(snapshot, now)
            if lacks_only_numbers:
                now = self._services.clock.now()
                return assign_numbers(plan, self._command, now), now

    @property
    def _reads_its_object_only(self) -> bool:
        """Whether the plan certainly needs nothing but the object, so that it can be read before planning."""
        is_plain = isinstance(self._command, Update) and not self._command.roles
        return is_plain and self._access is None and not self._validates and not self._excess

    def _load(self, snapshot: Snapshot, now: Instant) -> None:
        load_missing(snapshot, self._visibility, now)
        if self._selects is not None:
            before = snapshot.entity(self._ids.root)
            if before is None or not self._selects(before):
                raise NoLongerMatches

    def _settle(self, plan: WritePlan) -> None:
        """Finish the cleanup of earlier writes that the plan depends on. Raises Conflict, Unavailable.

        Conflict starts a new round, because the cleanup may have changed what was read.
        """
        unfinished = plan.request.unfinished.keys()
        if unfinished and (
            self._services.entities.finish_cleanup([*unfinished]) or not unfinished <= self._settled
        ):
            self._settled |= unfinished
            raise Conflict

    def _copy_uploads(self, plan: WritePlan) -> None:
        """Copy the bytes of the files that the write takes. Raises Conflict, Unavailable."""
        uploads, files = plan.request.files.values(), self._services.files
        if uploads and files is not None:
            try:
                copy_uploads(files.blobs, uploads)
            except UploadLost as lost:
                # In the next round, the file counts as missing.
                self._lost_uploads[lost.pending_id] = None
                raise Conflict from None

    def _change(self, plan: WritePlan, now: Instant, mode: _Mode, *, is_blocked: bool) -> Change:
        # A blocked plan reaches the store only in a dry run. Without a member id, the store does not check
        # locks, which the plan has reported already.
        member_id = None if is_blocked else self._caller.id
        root = self._ids.root if isinstance(self._command, Restore) else None
        # A commit id takes time to make, and a change without effects is never committed.
        commits = plan.effects and (mode is _Mode.COMMIT or mode is _Mode.REHEARSAL)
        commit_id = self._services.ids.new() if commits else ""
        author = author_of(self._caller, commit_id)
        files = tuple(plan.request.files)
        return Change(commit_id, plan.instant, plan.effects, author, member_id, now, root, files)

    def _not_allowed(self, plan: WritePlan, change: Change, unmet: list[Issue]) -> WriteOutcome:
        """Return the outcome of a write that grants forbid. Deleting a hidden object deletes nothing."""
        is_hidden = all(issue.type is IssueType.ENTITY_NOT_FOUND for issue in unmet)
        issues = [] if isinstance(self._command, Delete) and is_hidden else unmet
        return WriteOutcome(plan, replace(change, effects=()), issues, is_allowed=False)

    def _claims_and_warnings(self, plan: WritePlan) -> tuple[Claims, list[MetWarning]]:
        """Return what the commit must claim, and the warnings that stop the write.

        Raises TooManyClaims, ReadBudgetExceeded.
        """
        return claims_and_warnings(self._state_readers(plan), self._visibility, force=self._options.force)

    def _state_readers(self, plan: WritePlan) -> StateReaders:
        return StateReaders(self._services, plan, *self._visibility.conditions_at(plan.instant))

    def _context(self, snapshot: Snapshot, now: Instant) -> WriteContext:
        return WriteContext(
            self._services.model,
            self._ids,
            self._caller,
            now,
            snapshot,
            self._access,
            self._validates,
            self._excess,
            check_time,
        )
