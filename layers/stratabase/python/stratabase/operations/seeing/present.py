"""What a caller sees of objects as they are now, which is also all that it sees of what they were."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from stratabase.domain.access.grants import Access
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.expressions.environment import EvaluationContext
from stratabase.model.model import Model
from stratabase.operations.fetching.as_of import AsOf
from stratabase.operations.fetching.moments import Moment, Moments
from stratabase.operations.fetching.rounds import Unknown
from stratabase.operations.fetching.seen import Seen
from stratabase.operations.ports import Entities
from stratabase.operations.seeing.looking import Looking


class Present:
    """Limits what is seen of the past. Of objects that are gone, what they were last counts as now."""

    def __init__(
        self,
        entities: Entities,
        model: Model,
        allowance: ReadBudget,
        access: Access,
        circumstances: EvaluationContext,
    ) -> None:
        self._entities = entities
        self._model = model
        self._allowance = allowance
        self._access = access
        self._circumstances = circumstances
        self._looking = Looking(Seen(entities, model, allowance), access, circumstances)
        self._hidden: dict[Reference, frozenset[str] | None] = {}
        """The attributes and roles that are hidden now, None where everything is."""
        self._awaited: dict[Reference, None] | None = None

    @contextmanager
    def awaiting(self) -> Iterator[None]:
        """Raise Unknown of what is not known; `catch_up` finds out whatever was asked meanwhile, at once."""
        self._awaited = {}
        try:
            yield
        finally:
            self._awaited = None

    def catch_up(self) -> None:
        """Find out what is awaited. Raises TooMuchRead, Unavailable."""
        if self._awaited:
            awaited, self._awaited = [*self._awaited], {}
            self._find(awaited)

    def note(self, versions: Iterable[Entity]) -> None:
        """Note, of versions that were read elsewhere, those that still hold: so the objects are now."""
        self._looking.seen.add(version for version in versions if version.end is None)

    def limited(self, shown: Sequence[Entity | None]) -> list[Entity | None]:
        """Return what may be seen of versions of which so much would be. Raises TooMuchRead, Unavailable."""
        self._settle(entity.reference for entity in shown if entity is not None)
        return [None if entity is None else self._limited(entity) for entity in shown]

    def leading(self, name: RoleName, ids: Sequence[str]) -> list[str]:
        """Return the objects of which a role, or an attribute, is seen. Raises as `limited`."""
        self._settle(owners := [Reference(name.class_name, id_) for id_ in ids])
        hidden = (self._hidden.get(owner, frozenset()) for owner in owners)
        pairs = zip(ids, hidden, strict=True)
        return [id_ for id_, names in pairs if names is not None and name.role_name not in names]

    def _settle(self, references: Iterable[Reference]) -> None:
        asked = (each for each in references if not self._looking.sight(each.class_name).is_clear)
        unknown = {each: None for each in asked if each not in self._hidden}
        if unknown and self._awaited is not None:
            self._awaited |= unknown
            raise Unknown
        if unknown:
            self._find([*unknown])

    def _find(self, references: Sequence[Reference]) -> None:
        seen = self._looking.seen
        seen.settle(references)
        self._judge(self._looking, [entity for each in references if (entity := seen.get(each)) is not None])
        self._look_back([each for each in references if seen.get(each) is None])

    def _limited(self, entity: Entity) -> Entity | None:
        names = self._hidden.get(entity.reference, frozenset())
        return None if names is None else self._looking.sight(entity.reference.class_name).less(entity, names)

    def _judge(self, looking: Looking, entities: Sequence[Entity]) -> None:
        """Note what is seen of objects as they are, or were."""
        shown = looking.shown(entities)
        self._hidden.update((each.reference, None) for each in entities)
        by_class: dict[str, list[str]] = defaultdict(list)
        for entity in filter(None, shown):
            by_class[entity.reference.class_name].append(entity.reference.id)
        for class_name, ids in by_class.items():
            names = [name for name, _ in looking.sight(class_name).narrowed]
            told = {name: {*looking.leading(RoleName(class_name, name), ids)} for name in names}
            for id_ in ids:
                hidden = frozenset(name for name in names if id_ not in told[name])
                self._hidden[Reference(class_name, id_)] = hidden

    def _look_back(self, gone: Sequence[Reference]) -> None:
        """Note what was seen last of objects that are gone; nothing, where nothing of them is known."""
        self._hidden.update(dict.fromkeys(gone))
        if moments := self._last(gone):
            found = Moments(self._entities, self._model).read(moments, self._allowance)
            versions: dict[Instant, list[Entity]] = defaultdict(list)
            for version, (_, last) in zip(found, moments, strict=True):
                versions[last] += [] if version is None else [version]
            for last, each in versions.items():
                self._judge(self._then(last, each), each)

    def _then(self, last: Instant, versions: Iterable[Entity]) -> Looking:
        """Return what looks at versions of an instant as they were at it."""
        seen = Seen(AsOf(self._entities, self._model, last), self._model, self._allowance)
        seen.add(versions)
        return Looking(seen, self._access, self._circumstances)

    def _last(self, gone: Sequence[Reference]) -> list[Moment]:
        """Return when objects were there for the last time: parts, that their wholes were."""
        tombs = self._entities.tombstones([self._lost(each) for each in gone]) if gone else []
        pairs = zip(gone, tombs, strict=True)
        return [(reference, tomb.last_end - 1) for reference, tomb in pairs if tomb is not None]

    def _lost(self, reference: Reference) -> Reference:
        """Return what of an object and its wholes is there no more, or is not listed by its whole."""
        seen, at = self._looking.seen, reference
        while (entity := seen[at]) is not None:
            above = next(seen.wholes([entity]), None)
            whole = None if above is None else seen[above]
            if above is None or (whole is not None and not seen.lists(whole, entity)):
                return at
            at = above
        return at
