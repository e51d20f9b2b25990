"""Find the objects whose rules a write may break, and claim them, so that concurrent writes are held apart.

A rule over several objects is broken by two writes that each keep it, if neither sees the other. So each
write that changes what the condition of an object reads claims this object, and all objects on the path to
it: the commit stamps them, and expects the stamps that were read before the condition was evaluated. Of two
writes that claim the same object, the second begins another round, and evaluates the condition again.

An association that begins is claimed at both ends, because a write at its other end does not see it yet.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from stratabase.core.domain.issues.issue import Issue, IssueType, Path
from stratabase.core.domain.objects.change import Creation, Restoration, Tombstone
from stratabase.core.domain.objects.entity import (
    SINGLETON_ID,
    Entity,
    Reference,
    RoleName,
    RoleStorage,
    State,
    part_ids,
    storage_of,
)
from stratabase.core.domain.query.filter import Comparison, RoleFilter
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import ALL_IDS, Query, Window
from stratabase.core.domain.write.touched import PathPoint, TouchedObjects, touched_objects
from stratabase.core.domain.write.warning_rules import WarningRule
from stratabase.core.model.api_names import ID
from stratabase.core.model.dependencies import MAX_DEPENDENTS, PathNode
from stratabase.core.model.model import ClassKind, Role
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.write.load import StateReaders
from stratabase.values.messages import Message, _, ngettext, sentences

_IN_TARGETS = frozenset(
    {RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS, RoleStorage.PARTS, RoleStorage.WHOLE}
)
"""Roles for which the state of a target has the ids of the objects that lead to it."""


class Claims(NamedTuple):
    """What a write claims, and the rules that it may break."""

    claimed: tuple[Entity | Tombstone, ...] = ()
    """The objects to claim, as they were read, and deleted ones to which something still leads."""
    rules: Mapping[tuple[WarningRule, Reference], Path] = {}
    """The rules of objects that the write does not write, with the places in the request that affect them."""

    @property
    def entities(self) -> Iterator[Entity]:
        """The claimed objects that exist."""
        return (each for each in self.claimed if isinstance(each, Entity))


NO_CLAIMS = Claims()


class TooManyClaims(Exception):
    """The write would claim more than MAX_DEPENDENTS other objects. `issue` says so."""

    def __init__(self, issue: Issue) -> None:
        super().__init__(issue)
        self.issue = issue


def find_claims(readers: StateReaders) -> Claims:
    """Return what the write of a plan must claim. Raises TooManyClaims, ReadBudgetExceeded.

    Without rules that the write touches, nothing is read.
    """
    touched = touched_objects(readers.plan, readers.services.warning_rules.kept.nodes)
    return _Search(readers).claims(touched) if touched.points else NO_CLAIMS


class _Search:
    """The search for the objects to claim: from the touched objects back along the paths, level by level."""

    def __init__(self, readers: StateReaders) -> None:
        self._readers = readers
        self._index = readers.plan.index
        self._objects = readers.projected()
        self._claimed: dict[Reference, None] = {}

    def claims(self, touched: TouchedObjects) -> Claims:
        """Return the objects to claim, and the rules to test. Raises TooManyClaims."""
        rules: dict[tuple[WarningRule, Reference], Path] = {}
        found: dict[PathPoint, Path] = {}
        level = dict(touched.points)
        self._claimed.update(dict.fromkeys(touched.new_targets))
        while level:
            found |= level
            self._claimed.update(dict.fromkeys(reference for _, reference in level))
            self._check_number(level)
            run(self._objects.load(self._claimed))
            for (node, reference), path in level.items():
                if node.parent is None and reference not in self._index.objects:
                    rule = self._readers.services.warning_rules.kept.rule_of(node)
                    rules[rule, reference] = path
            level = {point: path for point, path in self._leading_to(level) if point not in found}
        return Claims(tuple(self._as_read()), rules)

    def _check_number(self, level: Mapping[PathPoint, Path]) -> None:
        number = sum(each not in self._index.objects for each in self._claimed)
        if number > MAX_DEPENDENTS:
            plan = self._readers.plan
            subject = plan.request.objects[plan.request.context.ids.root].subject
            is_all = all(node.parent is None for node, _ in level)
            message = sentences([_too_many(number, is_all=is_all), self._advice(level)])
            raise TooManyClaims(subject.issue(IssueType.MALFORMED_REQUEST, message, *subject.path))

    def _advice(self, level: Mapping[PathPoint, Path]) -> Message:
        """Return what to do about a level with too many objects, with the first rule that leads there."""
        access = self._readers.plan.request.context.access
        rules = (self._readers.services.warning_rules.kept.rule_of(node.root) for node, _ in level)
        rule = next(
            (each for each in rules if access is None or access.may_read_class(each.class_name)), None
        )
        if rule is None:
            return _("Write fewer objects in one request.")
        return _(
            "One of the warnings is {warning} of {class_name}. Write fewer objects in one request, or change "
            "the model so that fewer depend on one: `stratabase model check` shows where.",
            warning=f'"{rule.definition.name}"',
            class_name=rule.class_name,
        )

    def _as_read(self) -> Iterator[Entity | Tombstone]:
        """Yield the claimed objects as they were read. New ones need no claim, because nobody knows them."""
        missing: list[Reference] = []
        for reference in self._claimed:
            effect = self._index.objects.get(reference)
            if isinstance(effect, Restoration):
                yield effect.after
            elif effect is not None and not isinstance(effect, Creation):
                yield effect.before
            elif effect is None and (entity := self._objects[reference]) is not None:
                yield entity
            elif effect is None:
                missing.append(reference)
        # Keys can lead to deleted objects, which another write may be restoring.
        versioned = [each for each in missing if self._readers.services.class_(each.class_name).versioned]
        if versioned:
            yield from filter(None, self._readers.services.entities.tombstones(versioned))

    def _leading_to(self, level: Mapping[PathPoint, Path]) -> Iterator[tuple[PathPoint, Path]]:
        """Yield the objects from which the paths lead to those of a level, before or after the write."""
        by_node: dict[PathNode, list[tuple[Reference, Path]]] = defaultdict(list)
        for (node, reference), path in level.items():
            by_node[node].append((reference, path))
        for node, reached in by_node.items():
            if node.parent is None or node.role is None:
                continue
            class_name = node.parent.class_name
            ids = self._owners(class_name, node.role, [reference for reference, _ in reached])
            for (_reference, path), owners in zip(reached, ids, strict=True):
                yield from (((node.parent, Reference(class_name, id_)), path) for id_ in owners)

    def _owners(self, class_name: str, role: Role, targets: Sequence[Reference]) -> list[Iterable[str]]:
        """Return, for each target, the ids of the objects of a class whose role leads there."""
        if storage_of(self._objects.model, role) in _IN_TARGETS:
            self._objects.check_role(RoleName(role.target, str(role.opposite)))
            return [self._stored_owners(str(role.opposite), each) for each in targets]
        if role.opposite is None:
            return [self._searched_owners(RoleName(class_name, role.name), each.id) for each in targets]
        back = RoleName(role.target, role.opposite)
        ids = [each.id for each in targets]
        after = run(self._objects.load_links(back, ids, ALL_IDS))
        return [
            dict.fromkeys((*now, *self._index.by_owner.get((back, id_), ())))
            for id_, now in zip(ids, after, strict=True)
        ]

    def _stored_owners(self, name: str, target: Reference) -> list[str]:
        return [id_ for state in self._states(target) for id_ in part_ids(state.get(name))]

    def _states(self, reference: Reference) -> Iterator[State]:
        """Yield the states of an object before and after the write, as far as it exists then."""
        effect = self._index.objects.get(reference)
        found = (self._objects[reference],) if effect is None else (effect.before, effect.after)
        return (each.state for each in found if each is not None)

    def _searched_owners(self, role: RoleName, target: str) -> list[str]:
        """Return the ids of the objects whose role without an opposite leads to a target.

        The store finds them by an index, which may lag behind, or tests all objects of the class.
        """
        if self._readers.services.class_(role.class_name).kind is ClassKind.SINGLETON:
            return self._singleton_owner(role, target)
        leads_there = RoleFilter(role, Comparison(ID, Operator.EQ, target))
        query = Query(role.class_name, Order(), leads_there, Window(MAX_DEPENDENTS + 1))
        return [entity.reference.id for entity in self._readers.present().page(query).items]

    def _singleton_owner(self, role: RoleName, target: str) -> list[str]:
        """Return the ID of a singleton if its role leads to a target. No page has it before it is written."""
        entities = self._readers.services.entities
        if self._objects.model.classes[role.class_name].roles[role.role_name].many:
            return [SINGLETON_ID] * entities.are_linked(role, [(SINGLETON_ID, target)])[0]
        reference = Reference(role.class_name, SINGLETON_ID)
        run(self._objects.load([reference]))
        return [SINGLETON_ID] * any(each.get(role.role_name) == target for each in self._states(reference))


def _too_many(number: int, *, is_all: bool) -> Message:
    if is_all:
        return ngettext(
            "Blocking warnings of {count} other object depend on this write. The maximum is {maximum}.",
            "Blocking warnings of {count} other objects depend on this write. The maximum is {maximum}.",
            number,
            maximum=MAX_DEPENDENTS,
        )
    return ngettext(
        "Blocking warnings of at least {count} other object depend on this write. The maximum is {maximum}.",
        "Blocking warnings of at least {count} other objects depend on this write. The maximum is {maximum}.",
        number,
        maximum=MAX_DEPENDENTS,
    )
