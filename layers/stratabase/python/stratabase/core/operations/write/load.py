"""Read what a plan lacks, each kind of item in one batch, and make readers of states.

The readers are of states before a write, after it, and at a former instant, regardless of grants.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import Entity, Moment, RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.domain.write.plan import WritePlan
from stratabase.core.domain.write.snapshot import Missing, Owner, Pair, Snapshot
from stratabase.core.operations.context import ReadContext, Services
from stratabase.core.operations.ports import ReadableObjects, WritableObjects
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.pending import PendingWrite
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.versions import VersionReader
from stratabase.core.operations.write.options import WriteOptions
from stratabase.values.cel.environment import EvaluationContext

Q = TypeVar("Q", Owner, Pair)


class CallerVisibility(NamedTuple):
    """What the caller of a write sees of objects that were read for it.

    Its methods raise ReadBudgetExceeded.
    """

    services: Services
    caller: Caller
    options: WriteOptions

    def conditions_at(self, now: Instant) -> tuple[EvaluationContext, ReadBudget]:
        """Return the evaluation context of conditions at an instant, and the budget for what they read."""
        budget = self.options.budget or self.services.new_budget()
        return self.options.evaluation_for(self.caller, now), budget

    def sees(self, now: Instant, entities: Sequence[Entity], read: Iterable[Entity]) -> list[bool]:
        """Return, for each object, whether the caller sees it.

        `read` has other objects that were read already.
        """
        return [
            entity is not None for entity in run(Reader(self._read_context(now)).add_visible(entities, read))
        ]

    def sees_versions(self, now: Instant, versions: Sequence[Entity], at: Instant) -> list[bool]:
        """Return, for each version as of an instant, whether the caller sees it."""
        reader = VersionReader(self._read_context(now)).at(at)
        return [version is not None for version in run(reader.add_visible(versions))]

    def sees_role(self, now: Instant, entities: Sequence[Entity], role: RoleName) -> list[bool]:
        """Return, for each object, whether the caller sees a role of it."""
        reader = Reader(self._read_context(now))
        visible = run(reader.add_visible(entities))
        return [each is not None and run(reader.shows(each.reference, role.role_name)) for each in visible]

    def _read_context(self, now: Instant) -> ReadContext:
        evaluation, budget = self.conditions_at(now)
        return ReadContext(self.services.model, self.services.entities, budget, evaluation)


def load_missing(snapshot: Snapshot, visibility: CallerVisibility, now: Instant) -> None:
    """Read what a snapshot lacks, and add it. Raises ReadBudgetExceeded, Unavailable."""
    entities = visibility.services.entities
    missing = snapshot.take_missing()
    # 1. Read objects, and what their roles lead to.
    if missing.entities:
        references = list(missing.entities)
        snapshot.entities.update(zip(references, entities.read(references), strict=True))
    if missing.links or missing.pairs:
        _load_links(snapshot, entities, missing)
    # 2. Find out which of them the caller sees.
    if missing.seen:
        known = {reference: snapshot.entities[reference] for reference in missing.seen}
        there = {reference: entity for reference, entity in known.items() if entity is not None}
        read = (entity for entity in snapshot.entities.values() if entity is not None)
        snapshot.seen.update(zip(there, visibility.sees(now, [*there.values()], read), strict=True))
    # 3. Read former versions and tombstones, and find out which versions the caller sees.
    if missing.versions or missing.seen_versions:
        _load_versions(snapshot, visibility, now, missing)
    if missing.tombstones:
        references = list(missing.tombstones)
        snapshot.tombstones.update(zip(references, entities.tombstones(references), strict=True))
    if missing.known_since:
        snapshot.known_since.update((role, entities.known_since(role)) for role in missing.known_since)
    # 4. Read the pending files that the request names.
    if missing.uploads:
        ids, files = list(missing.uploads), visibility.services.files
        uploads = [None] * len(ids) if files is None else files.ledger.pending(ids)
        snapshot.uploads.update(zip(ids, uploads, strict=True))
    # 5. Reserve new serial numbers.
    if missing.serials:
        _number(entities, snapshot, missing)


def _load_links(snapshot: Snapshot, entities: ReadableObjects, missing: Missing) -> None:
    for role, owners in _by_role(missing.links).items():
        ids = [id_ for _, id_ in owners]
        snapshot.links.update(zip(owners, entities.linked(role, ids), strict=True))
    for role, pairs in _by_role(missing.pairs).items():
        ends = [(owner, other) for _, owner, other in pairs]
        snapshot.pairs.update(zip(pairs, entities.are_linked(role, ends), strict=True))


def _load_versions(snapshot: Snapshot, visibility: CallerVisibility, now: Instant, missing: Missing) -> None:
    if missing.versions:
        moments = list(missing.versions)
        snapshot.versions.update(zip(moments, visibility.services.entities.as_of(moments), strict=True))
    for at, asked in _by_instant(missing.seen_versions).items():
        versions = [version for moment in asked if (version := snapshot.versions[moment]) is not None]
        seen = dict(
            zip(
                (each.reference for each in versions),
                visibility.sees_versions(now, versions, at),
                strict=True,
            )
        )
        snapshot.seen_versions.update({moment: seen.get(moment.reference, False) for moment in asked})


def _by_role(questions: Iterable[Q]) -> Mapping[RoleName, Sequence[Q]]:
    found: dict[RoleName, list[Q]] = defaultdict(list)
    for question in questions:
        found[question[0]].append(question)
    return found


def _by_instant(moments: Iterable[Moment]) -> Mapping[Instant, Sequence[Moment]]:
    found: dict[Instant, list[Moment]] = defaultdict(list)
    for moment in moments:
        found[moment.at].append(moment)
    return found


def _number(entities: WritableObjects, snapshot: Snapshot, missing: Missing) -> None:
    """Assign new serial numbers in the order of the request."""
    wanted = Counter(name for name, _ in missing.serials)
    numbers = {name: iter(given) for name, given in entities.next_serials(wanted).items()}
    for name, path in missing.serials:
        snapshot.serials[name, path] = next(numbers[name])


class StateReaders(NamedTuple):
    """Makes the readers for conditions of grants and warnings. They share one read budget.

    They start with the objects that were read for the plan, and read others on demand.
    """

    services: Services
    plan: WritePlan
    evaluation: EvaluationContext
    budget: ReadBudget

    def present(self) -> Reader:
        """Return a reader of objects as they are before the write."""
        reader = Reader(self._read_context, unrestricted=True)
        before = self.plan.request.context.snapshot.entities.values()
        reader.add(entity for entity in before if entity is not None)
        return reader

    def projected(self) -> Reader:
        """Return a reader of objects as the write would leave them."""
        before = self.plan.request.context.snapshot.entities.values()
        return self.projected_from(entity for entity in before if entity is not None)

    def projected_from(self, known: Iterable[Entity]) -> Reader:
        """Return a reader of objects as the write would leave them, which reads all but `known` ones anew."""
        reader = Reader(self._read_context, pending=PendingWrite(self.plan.index), unrestricted=True)
        written = self.plan.index.objects
        reader.add(entity for entity in known if entity.reference not in written)
        return reader

    def former(self, at: Instant) -> Reader:
        """Return a reader of objects as of an instant."""
        reader = Reader(self._read_context, at, unrestricted=True)
        versions = self.plan.request.context.snapshot.versions.items()
        reader.add(version for moment, version in versions if version is not None and moment.at == at)
        return reader

    @property
    def _read_context(self) -> ReadContext:
        return ReadContext(self.services.model, self.services.entities, self.budget, self.evaluation)
