"""Load objects and links as of instants, in batches. Objects without versions are loaded as they are now."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Never

from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import (
    Entity,
    ListedParts,
    Moment,
    Reference,
    RoleName,
    RoleStorage,
    WholeReference,
    storage_of,
    whole_of,
)
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.page import ALL_IDS, IdRange
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.batched_reads import Load, Phase
from stratabase.values.messages import _

_OwnerMoment = tuple[str, Instant]
"""The id of an owner and an instant."""
_BY_KEYS = frozenset({RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS})


class PastLinkKey(NamedTuple):
    """The key of a load: a role, an owner, an instant, and the range of ids to return."""

    role: RoleName
    id_range: IdRange
    owner: str
    at: Instant


class _PartMoment(NamedTuple):
    """A versioned part at an instant. Its whole has no versions, so nothing records when it lost the part."""

    entity: Entity
    at: Instant
    owner: WholeReference


class AsOfBatch:
    """Loads objects and links, each as of its own instant, in as few round trips as for one.

    Versions have no locks.
    """

    def __init__(self, read_context: ReadContext) -> None:
        self._entities = read_context.entities
        self._model = read_context.model
        self._budget = read_context.budget
        self._listed = ListedParts()
        self._complete_links: dict[RoleName, dict[_OwnerMoment, tuple[str, ...]]] = defaultdict(dict)
        """By role and owner: the ids of links that were read without a range."""

    def objects(self, moments: Sequence[Moment]) -> list[Entity | None]:
        """Return the objects in the order of `moments`, None for each that did not exist.

        Raises ReadBudgetExceeded.
        """
        found = self._entities.as_of(moments, self._budget)
        there = [(each, moment.at) for each, moment in zip(found, moments, strict=True) if each is not None]
        detached = self._detach(there)
        return [
            entity and detached.get(Moment(entity.reference, moment.at), self._without_lock(entity))
            for entity, moment in zip(found, moments, strict=True)
        ]

    def links(self, keys: Sequence[PastLinkKey]) -> list[tuple[str, ...]]:
        """Return, for each key, the ids of the objects that the role may have led to.

        The caller must check the keys that these objects held at the instant. Raises ReadBudgetExceeded.
        """
        asked: dict[tuple[RoleName, IdRange], list[_OwnerMoment]] = defaultdict(list)
        for key in keys:
            asked[key.role, key.id_range].append((key.owner, key.at))
        found = {
            (role, id_range): dict(zip(owners, self._of_role(role, owners, id_range), strict=True))
            for (role, id_range), owners in asked.items()
        }
        return [found[key.role, key.id_range][key.owner, key.at] for key in keys]

    def detach_lost_parts(self, versions: Sequence[Entity]) -> list[Entity]:
        """Return versions that were read elsewhere as `objects` returns them at their starts.

        No version is left out.
        """
        detached = self._detach([(version, version.start or 0) for version in versions])
        return [detached.get(Moment(each.reference, each.start or 0)) or each for each in versions]

    def _of_role(
        self, role: RoleName, owners: Sequence[_OwnerMoment], id_range: IdRange
    ) -> list[tuple[str, ...]]:
        """Return the links of one role. If the store reads all links of an owner anyway, keep them."""
        if not self._is_read_whole(role):
            return self._load_links(role, owners, id_range)
        known = self._complete_links[role]
        unknown = [owner for owner in owners if owner not in known]
        if unknown:
            known |= zip(unknown, self._load_links(role, unknown, ALL_IDS), strict=True)
        return [tuple(id_range.select(known[owner])) for owner in owners]

    def _load_links(
        self, role: RoleName, owners: Sequence[_OwnerMoment], id_range: IdRange
    ) -> list[tuple[str, ...]]:
        ids, instants = [id_ for id_, _at in owners], [at for _id, at in owners]
        return self._entities.linked(role, ids, id_range, at=instants, budget=self._budget)

    def _is_read_whole(self, role: RoleName) -> bool:
        """Return whether links come from the keys in versions of the target, and so are read completely."""
        walked = self._model.classes[role.class_name].roles[role.role_name]
        return storage_of(self._model, walked) in _BY_KEYS and self._model.classes[walked.target].versioned

    def _without_lock(self, entity: Entity) -> Entity:
        return replace(entity, lock=None) if self._is_versioned(entity.reference) else entity

    def _is_versioned(self, reference: Reference) -> bool:
        return self._model.classes[reference.class_name].versioned

    def _detach(self, there: Iterable[tuple[Entity, Instant]]) -> Mapping[Moment, Entity | None]:
        """Return the parts that must differ from what the store returned, by moment.

        These are parts of wholes without versions that no longer have them: either without the key to the
        whole, or None if the part had ended by the instant, although its cleanup has not deleted it yet.
        """
        # 1. Find the parts whose whole has no versions, and read the wholes as they are now.
        doubtful = [_PartMoment(entity, at, owner) for entity, at in there for owner in self._owners(entity)]
        wholes = list(dict.fromkeys(each.owner.reference for each in doubtful))
        if not wholes:
            return {}
        found = dict(zip(wholes, self._entities.read(wholes, self._budget), strict=True))
        # 2. For deleted wholes, find out when the deletion was.
        missing = [whole for whole, entity in found.items() if entity is None]
        ended = dict(zip(missing, self._entities.pending_purges(missing), strict=True))
        # 3. Detach each part that its whole no longer has.
        detached: dict[Moment, Entity | None] = {}
        for each in doubtful:
            whole, moment = found[each.owner.reference], Moment(each.entity.reference, each.at)
            if whole is None:
                detached[moment] = self._without_owner(each, ended[each.owner.reference])
            elif each.entity.end is None and not self._lists(whole, each):
                # The whole gave up the part with its last change or earlier.
                detached[moment] = self._without_owner(each, whole.start)
        return detached

    def _lists(self, whole: Entity, part: _PartMoment) -> bool:
        return self._listed.has(whole, part.owner.composition, part.entity.reference.id)

    def _without_owner(self, part: _PartMoment, ended: Instant | None) -> Entity | None:
        """Return a part without the key to its whole, or None if it ended at or before its instant."""
        if ended is not None and ended <= part.at:
            return None
        state = {name: value for name, value in part.entity.state.items() if name != part.owner.role}
        return self._without_lock(replace(part.entity, state=state))

    def _owners(self, entity: Entity) -> Iterator[WholeReference]:
        """Yield the whole of a versioned part if the whole's class has no versions."""
        class_ = self._model.classes[entity.reference.class_name]
        owner = whole_of(class_, entity.state) if class_.versioned else None
        if owner is not None and not self._is_versioned(owner.reference):
            yield owner


class AsOf(NamedTuple):
    """An instant, and the batch that loads objects as of it."""

    batch: AsOfBatch
    instant: Instant

    def objects(self, references: Sequence[Reference]) -> Load:
        """Return the load of objects as of the instant."""
        return Load(Phase.OBJECTS, self.batch.objects, [Moment(each, self.instant) for each in references])

    def links(self, role: RoleName, ids: Sequence[str], id_range: IdRange) -> Load:
        """Return the load of the ids that a role of each owner may have led to."""
        keys = [PastLinkKey(role, id_range, owner, self.instant) for owner in ids]
        return Load(Phase.LINKS, self.batch.links, keys)


def refuse_page_of_past(class_name: str) -> Never:
    """Raise Refused: which objects can be associated is known only for the present."""
    message = _(
        "Versions don't record which {class_name} objects could be associated. "
        "Remove the associables field from the selection.",
        class_name=class_name,
    )
    raise Refused([Issue(IssueType.MALFORMED_REQUEST, message, entity_name=class_name)])
