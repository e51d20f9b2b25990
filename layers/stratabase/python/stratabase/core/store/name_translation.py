"""Translates what crosses the boundary of the store: from the names of a model to stored names, or back.

Both directions are the same work with other tables, so there is one class for them. Each class of the model
has one table, and what has the same name on both sides is passed on as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.core.domain.issues.refusals import ReadBudgetExceeded, Refusal
from stratabase.core.domain.objects.change import (
    Change,
    Creation,
    DeletedObject,
    Deletion,
    Effect,
    LinkCreation,
    LinkDeletion,
    Modification,
    ObjectCheck,
    Restoration,
    Tombstone,
)
from stratabase.core.domain.objects.commit_refusals import (
    AlreadyAssociated,
    BeingRestored,
    CommitRefusal,
    DeletedNotListed,
    IntegrityViolation,
    LockedByOthers,
    LockRefused,
    ObjectTooLarge,
    RequiredRoleEmpty,
    RoleNotBuilt,
    RoleUnavailable,
    RoleViolation,
    SizeCause,
    TargetNotFound,
    TooLarge,
    UniqueNotBuilt,
    UniqueViolation,
)
from stratabase.core.domain.objects.entity import (
    Entity,
    Moment,
    Reference,
    RoleName,
    SerialName,
    State,
    UnmadeEntities,
)
from stratabase.core.domain.query.derived import Derive, Related
from stratabase.core.domain.query.filter import (
    And,
    Comparison,
    ExpressionFilter,
    Filter,
    FlagFilter,
    Not,
    Or,
    RoleFilter,
)
from stratabase.core.domain.query.order import Order, OrderTerm, Position
from stratabase.core.domain.query.page import Page, PageFields, Query
from stratabase.core.model.attribute import KEPT, KeptValues
from stratabase.core.model.model import Index, Unique
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.model.types.base import Renames, Stored
from stratabase.values.cel.environment import Environment
from stratabase.values.cel.expression import Expression

_Directive = TypeVar("_Directive", Index, Unique)
_NOTHING: Mapping[str, str] = {}


class _ClassTable(NamedTuple):
    """The names of one class. The keys are names on this side, the values are names on the other side."""

    keys: Mapping[str, str]
    """The attributes and roles that have another name on the other side."""
    values: Mapping[str, Mapping[str, str]]
    """By attribute: the values of its enum that have another name on the other side."""
    targets: Mapping[str, str]
    """By role: the class that it leads to. Both have names of this side."""


class NameTranslation:
    """One direction of the translation. `inverse` is the other one."""

    def __init__(
        self, classes: Mapping[str, str], tables: Mapping[str, _ClassTable], inverse: "NameTranslation | None"
    ) -> None:
        """`classes`: the classes that have another name on the other side. `tables`: by class."""
        self._classes = classes
        self._tables = tables
        self._inverse = inverse

    @classmethod
    def to_stored(cls, names: StoredNames) -> "NameTranslation":
        """Return the translation from the names of a model to its stored names."""
        classes = Renames({name: each.stored_name for name, each in names.classes.items()})
        outward = cls(
            classes.from_stored,
            {
                each.stored_name: _ClassTable(
                    each.renames.from_stored,
                    {each.to_stored[name]: one.from_stored for name, one in each.renamed_values.items()},
                    {
                        each.to_stored[role]: names.classes[target].stored_name
                        for role, target in each.targets.items()
                    },
                )
                for each in names.classes.values()
            },
            None,
        )
        inward = cls(
            classes.to_stored,
            {
                each.name: _ClassTable(
                    each.renames.to_stored,
                    {name: one.to_stored for name, one in each.renamed_values.items()},
                    each.targets,
                )
                for each in names.classes.values()
            },
            outward,
        )
        outward._inverse = inward
        return inward

    @property
    def inverse(self) -> "NameTranslation":
        """The translation in the other direction."""
        assert self._inverse is not None
        return self._inverse

    # Names.

    def class_name(self, name: str) -> str:
        """Translate the name of a class."""
        return self._classes.get(name, name)

    def field(self, class_name: str, name: str) -> str:
        """Translate the name of an attribute or role. `class_name`: on this side."""
        table = self._tables.get(class_name)
        return name if table is None else table.keys.get(name, name)

    def _fields(self, class_name: str, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.field(class_name, name) for name in names)

    def reference(self, reference: Reference) -> Reference:
        """Translate the reference of an object."""
        name = self._classes.get(reference.class_name)
        return reference if name is None else Reference(name, reference.id)

    def role(self, role: RoleName) -> RoleName:
        """Translate the name of a role."""
        return RoleName(self.class_name(role.class_name), self.field(role.class_name, role.role_name))

    def target_of(self, class_name: str, role: str) -> str:
        """Return the class that a role leads to. All names are those of this side."""
        return self._tables[class_name].targets[role]

    def serial(self, serial: SerialName) -> SerialName:
        """Translate the name of a Serial attribute."""
        return SerialName(self.class_name(serial.class_name), self.field(serial.class_name, serial.attribute))

    def target(self, target: FileTarget) -> FileTarget:
        """Translate the attribute that a file is for."""
        return FileTarget(self.class_name(target.class_name), self.field(target.class_name, target.attribute))

    def directive(self, class_name: str, directive: _Directive) -> _Directive:
        """Translate a uniqueness constraint or an index."""
        return type(directive)(self._fields(class_name, directive.attributes))

    # Objects.

    def value(self, class_name: str, attribute: str, value: Stored) -> Stored:
        """Translate a value of an attribute, which changes only values of renamed enum values."""
        table = self._tables.get(class_name)
        values = None if table is None else table.values.get(attribute)
        return values.get(value, value) if values is not None and isinstance(value, str) else value

    def state(self, class_name: str, state: State) -> State:
        """Translate a state. What is not an attribute or role, such as `_id` and flags, keeps its key."""
        return self.states(class_name, (state,))[0]

    def states(self, class_name: str, states: Sequence[State]) -> Sequence[State]:
        """Translate the states of objects of a class."""
        table = self._tables.get(class_name)
        if table is None or not (table.keys or table.values):
            return states
        return [self._state(class_name, table, state) for state in states]

    def _state(self, class_name: str, table: _ClassTable, state: State) -> State:
        keys = table.keys
        result = dict(state)
        present = [name for name in keys if name in state]
        for name in present:
            del result[name]
        for name in present:
            result[keys[name]] = state[name]
        for name, values in table.values.items():
            value = state.get(name)
            if isinstance(value, str) and value in values:
                result[keys.get(name, name)] = values[value]
        kept: object = state.get(KEPT)
        if isinstance(kept, KeptValues):
            translated: Any = kept.translated(keys.get, partial(self.value, class_name))
            result[KEPT] = translated
        return result

    def entity(self, entity: Entity) -> Entity:
        """Translate an object."""
        return self._entity(entity, self.state(entity.reference.class_name, entity.state))

    def _entity(self, entity: Entity, state: State) -> Entity:
        """Translate an object. `state`: its translated state."""
        reference = self.reference(entity.reference)
        if state is entity.state and reference is entity.reference and not entity.counts:
            return entity
        counts = {self.role(role): number for role, number in entity.counts.items()}
        # Everything else, such as what the store has seen, is the same under both names.
        return replace(entity, reference=reference, state=state, counts=counts)

    def entities(self, entities: Sequence[Entity]) -> Sequence[Entity]:
        """Translate objects. Those that are not made yet stay so."""
        if not isinstance(entities, UnmadeEntities):
            return tuple(map(self.entity, entities))
        states = self.states(entities.class_name, entities.states)
        return UnmadeEntities(
            self.class_name(entities.class_name),
            states,
            lambda: [self._entity(each, state) for each, state in zip(entities, states, strict=True)],
        )

    def entity_or_none(self, entity: Entity | None) -> Entity | None:
        """Translate an object, if there is one."""
        return None if entity is None else self.entity(entity)

    def moment(self, moment: Moment) -> Moment:
        """Translate an object and an instant."""
        return Moment(self.reference(moment.reference), moment.at)

    def tombstone(self, tombstone: Tombstone | None) -> Tombstone | None:
        """Translate a tombstone, if there is one."""
        return None if tombstone is None else self.present_tombstone(tombstone)

    def deleted_object(self, deleted: DeletedObject) -> DeletedObject:
        """Translate a deleted object."""
        return DeletedObject(self.present_tombstone(deleted.tombstone), self.entity(deleted.version))

    def present_tombstone(self, tombstone: Tombstone) -> Tombstone:
        """Translate a tombstone."""
        return tombstone._replace(reference=self.reference(tombstone.reference))

    # Changes.

    def change(self, change: Change) -> Change:
        """Translate a change with all its effects."""
        root = None if change.root is None else self.reference(change.root)
        claims = tuple(map(self._claim, change.claims))
        return replace(change, effects=tuple(map(self._effect, change.effects)), root=root, claims=claims)

    def _claim(self, claimed: Entity | Tombstone) -> Entity | Tombstone:
        if isinstance(claimed, Entity):
            return self.entity(claimed)
        return self.present_tombstone(claimed)

    def _effect(self, effect: Effect) -> Effect:
        return _EFFECTS[type(effect)](self, effect)

    # Queries.

    def query(self, query: Query) -> Query:
        """Translate a query. An expression in its filter evaluates states with the names of this side."""
        name, start = query.class_name, query.window.start
        terms = tuple(
            OrderTerm(self.field(name, term.attribute), term.descending) for term in query.order.terms
        )
        if start is not None:
            pairs = zip(query.order.terms, start.values, strict=False)
            start = Position(tuple(self.value(name, term.attribute, value) for term, value in pairs))
        return replace(
            query,
            class_name=self.class_name(name),
            order=Order(terms),
            filter=None if query.filter is None else self.filter(name, query.filter),
            window=replace(query.window, start=start),
            # To translate states, their values must be those of this model.
            fields=self._page_fields(name, query.fields),
            implied=None if query.implied is None else self.filter(name, query.implied),
            implied_by_grants=(
                None if query.implied_by_grants is None else self.filter(name, query.implied_by_grants)
            ),
        )

    def _page_fields(self, class_name: str, fields: PageFields) -> PageFields:
        totals = fields.totals
        if totals is not None:
            names = dict(zip(totals, self._fields(class_name, [*totals]), strict=True))
            lengths = fields.beginnings
            beginnings = None if lengths is None else {names[name]: each for name, each in lengths.items()}
            return replace(fields, totals=frozenset(names.values()), beginnings=beginnings)
        return fields if fields.attributes is None else replace(fields, attributes=None)

    def filter(self, class_name: str, filter_: Filter) -> Filter:
        """Translate a filter on objects of a class."""
        return _FILTERS[type(filter_)](self, class_name, filter_)

    def expression(self, class_name: str, expression: Expression) -> Expression:
        """Return an expression that reads states of the other side as those of this side."""
        read, evaluator = self.inverse.state, expression.evaluator
        other_class = self.class_name(class_name)

        def evaluate(environment: Environment) -> Any:
            values = read(other_class, environment.values)
            return evaluator(Environment(values, environment.context, environment.related))

        paths = frozenset((self.field(class_name, first), *rest) for first, *rest in expression.paths)
        return replace(expression, paths=paths, evaluator=evaluate)

    def derive(self, derive: Derive) -> Derive:
        """Return a function that takes and returns objects of the other side, and raises its refusals."""
        back = self.inverse

        def derive_translated(entities: Sequence[Entity]) -> Sequence[Entity]:
            try:
                derived = derive(list(map(back.entity, entities)))
            except (CommitRefusal, Refusal) as refusal:
                # It passes through the store, and is translated back with the store's own refusals.
                translated = self.refusal(refusal)
                if translated is refusal:
                    raise
                raise translated from refusal
            return list(map(self.entity, derived))

        return derive_translated

    def related(self, related: Related) -> Related:
        """Return a function that takes queries and returns pages of the other side."""
        return lambda query, budget: self.page(related(self.inverse.query(query), budget))

    def page(self, page: Page) -> Page:
        """Translate the objects of a page."""
        return replace(page, items=self.entities(page.items))

    # Refusals.

    def refusal(self, refusal: Exception) -> Exception:
        """Return a refusal of the store, translated. All others are returned as they are."""
        translate = _REFUSALS.get(type(refusal))
        return refusal if translate is None else translate(self, refusal)

    def violation(self, violation: RoleViolation) -> RoleViolation:
        """Translate the violation of a role."""
        return _VIOLATIONS[type(violation)](self, violation)

    def uniques(self, violations: Sequence[tuple[Reference, Unique]]) -> tuple[tuple[Reference, Unique], ...]:
        """Translate objects with uniqueness constraints of their classes."""
        return tuple(
            (self.reference(reference), self.directive(reference.class_name, unique))
            for reference, unique in violations
        )

    def too_large(self, refusal: TooLarge) -> TooLarge:
        """Translate the refusal of a large change, whose message has no names."""
        reference = None if refusal.reference is None else self.reference(refusal.reference)
        cause = refusal.cause and SizeCause(self.role(refusal.cause.role), refusal.cause.max_links)
        return TooLarge(refusal.message, reference, cause=cause)

    def budget(self, refusal: ReadBudgetExceeded) -> ReadBudgetExceeded:
        """Translate the refusal of an expensive query, with its hint."""
        name, hint = refusal.class_name, refusal.hint
        if name is None:
            return refusal
        translated = replace(
            hint,
            index=self._fields(hint.index_class or name, hint.index),
            index_class=None if hint.index_class is None else self.class_name(hint.index_class),
            derived=self._fields(name, hint.derived),
            roles=self._fields(name, hint.roles),
        )
        return ReadBudgetExceeded(self.class_name(name), refusal.objects_read, translated)


_T = NameTranslation
_EFFECTS: Mapping[type[Any], Callable[[_T, Any], Effect]] = {
    Creation: lambda names, each: Creation(names.entity(each.after)),
    Modification: lambda names, each: Modification(names.entity(each.before), names.entity(each.after)),
    Deletion: lambda names, each: Deletion(names.entity(each.before), names.tombstone(each.withdrawn)),
    Restoration: lambda names, each: Restoration(
        names.present_tombstone(each.tombstone), names.entity(each.after)
    ),
    ObjectCheck: lambda names, each: ObjectCheck(names.entity(each.before), each.unchanged),
    LinkCreation: lambda names, each: LinkCreation(names.role(each.role), each.owner, each.other),
    LinkDeletion: lambda names, each: LinkDeletion(names.role(each.role), each.owner, each.other),
}


def _comparison(names: _T, class_name: str, comparison: Comparison) -> Comparison:
    attribute, operand = comparison.attribute, comparison.operand
    translated = (
        tuple(names.value(class_name, attribute, each) for each in operand)
        if isinstance(operand, tuple)
        else names.value(class_name, attribute, operand)
    )
    return Comparison(names.field(class_name, attribute), comparison.operator, translated)


def _role_filter(names: _T, class_name: str, condition: RoleFilter) -> RoleFilter:
    part = names.filter(names.target_of(class_name, condition.role.role_name), condition.part)
    # States have the result under the mark that this side made.
    return RoleFilter(names.role(condition.role), part, condition.mark)


_FILTERS: Mapping[type[Any], Callable[[_T, str, Any], Filter]] = {
    Comparison: _comparison,
    And: lambda names, name, each: And(tuple(names.filter(name, part) for part in each.parts)),
    Or: lambda names, name, each: Or(tuple(names.filter(name, part) for part in each.parts)),
    Not: lambda names, name, each: Not(names.filter(name, each.part)),
    ExpressionFilter: lambda names, name, each: ExpressionFilter(
        names.expression(name, each.expression), each.evaluation
    ),
    FlagFilter: lambda _names, _name, each: each,
    RoleFilter: _role_filter,
}
_VIOLATIONS: Mapping[type[Any], Callable[[_T, Any], RoleViolation]] = {
    TargetNotFound: lambda names, each: TargetNotFound(names.reference(each.reference)),
    RequiredRoleEmpty: lambda names, each: RequiredRoleEmpty(
        names.reference(each.reference), names.role(each.role)
    ),
    AlreadyAssociated: lambda names, each: AlreadyAssociated(names.role(each.role), each.target),
    RoleNotBuilt: lambda names, each: RoleNotBuilt(names.reference(each.reference), names.role(each.role)),
}
_REFUSALS: Mapping[type[Any], Callable[[_T, Any], Exception]] = {
    UniqueViolation: lambda names, each: UniqueViolation(
        names.uniques(each.violations), within_change=each.within_change
    ),
    UniqueNotBuilt: lambda names, each: UniqueNotBuilt(names.uniques(each.unbuilt)),
    LockedByOthers: lambda names, each: LockedByOthers(
        [(names.reference(reference), lock) for reference, lock in each.locks]
    ),
    IntegrityViolation: lambda names, each: IntegrityViolation([*map(names.violation, each.violations)]),
    TooLarge: _T.too_large,
    ObjectTooLarge: lambda names, each: ObjectTooLarge(
        names.reference(each.reference), each.size, each.maximum
    ),
    LockRefused: lambda names, each: LockRefused(
        [(names.reference(reference), lock) for reference, lock in each.locks],
        map(names.reference, each.missing),
    ),
    ReadBudgetExceeded: _T.budget,
    BeingRestored: lambda names, each: BeingRestored(names.reference(each.reference)),
    DeletedNotListed: lambda names, each: DeletedNotListed(names.class_name(each.class_name)),
    RoleUnavailable: lambda names, each: RoleUnavailable(names.role(each.role), each.reason),
}
