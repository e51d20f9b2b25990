"""What a selection asks of the objects that it shows, before the values of variables are known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from graphql import (
    FieldNode,
    GraphQLField,
    GraphQLNamedType,
    GraphQLObjectType,
    get_named_type,
)

from stratabase.domain.access.grants import Access
from stratabase.domain.access.visibility import check_attribute, check_class, check_role
from stratabase.domain.issue import Issue, Path
from stratabase.domain.objects.version import VERSION_START
from stratabase.domain.query.fetch import STATE_ONLY, Associables, Fetch, RoleFetch, ToMany, ToOne
from stratabase.domain.query.page import Query
from stratabase.domain.refusal import Refused
from stratabase.formats.preferences import Formats
from stratabase.model.attribute import Origin
from stratabase.schema import lock_info
from stratabase.schema.arguments import Arguments
from stratabase.schema.context import Context
from stratabase.schema.fetching.formats import Format
from stratabase.schema.fetching.page import PageAnswer, wanted
from stratabase.schema.grants import refuse
from stratabase.schema.moments import MOMENT
from stratabase.schema.objects import ATTRIBUTE, AttributeField
from stratabase.schema.roles import ROLE, RoleField, spot
from stratabase.schema.selections import Selections, names_of
from stratabase.schema.together import together

Keys = tuple[str, ...]


class _Selected(NamedTuple):
    """A field that is selected."""

    field: GraphQLField
    nodes: Sequence[FieldNode]
    keys: Keys
    """The response keys that lead to it from the root field on."""

    @property
    def type(self) -> GraphQLNamedType:
        """The type of what it shows, whatever brackets are around it."""
        return get_named_type(self.field.type)


@dataclass(frozen=True, slots=True)
class _RolePlan:
    """A role that is selected; its options are read when the variables are there."""

    role: RoleField
    selected: _Selected
    arguments: Arguments
    names: frozenset[str]
    """The names of what is selected below: the fields of a page."""
    plan: "Plan"

    def fetch(self, variables: Any, context: Context) -> RoleFetch:
        """Return what is to be fetched. Raises Refused."""
        role = self.role
        if not role.paged:
            return ToOne(role.name, role.role, self.plan.below(variables, context))
        query, below = together(
            partial(self._query, variables, context), partial(self.plan.below, variables, context)
        )
        shown = PageAnswer(role.target, query.order, self.names)
        return (Associables if role.associables else ToMany)(role.name, role.role, below, query, shown)

    def refusals(self, access: Access) -> Iterator[Issue | None]:
        """Yield what must not be read of it, at any depth."""
        hidden = check_role(access, self.role.owner, self.role.role, self.selected.keys[1:])
        yield from (hidden,) if hidden else self.plan.refusals(access)

    def _query(self, variables: Any, context: Context) -> Query:
        given = self.arguments.values(variables)
        try:
            return self.role.reader.read(given.get("options") or {}, wanted(self.names), context.asking)
        except Refused as refusal:
            # It is the root field that is refused, before anything is read or written.
            keys = self.selected.keys[1:]
            issues = [replace(issue, path=(*keys, *issue.path)) for issue in refusal.issues]
            raise Refused(issues) from None


@dataclass(slots=True)
class Plan:
    """What is selected of objects, beside the attributes that they keep."""

    roles: dict[str, _RolePlan] = field(default_factory=dict)
    """By their spots."""
    derived: dict[str, None] = field(default_factory=dict)
    """The names of derived attributes."""
    formats: list[Format] = field(default_factory=list)
    """Of attributes at any depth."""
    attributes: list[tuple[AttributeField, Path]] = field(default_factory=list)
    """All that are selected, with the response keys that lead to them from the root field on."""
    version_start: bool = False
    lock: bool = False

    def fetch(self, variables: Any, context: Context) -> Fetch:
        """Return what is to be fetched below a root field.

        Raises Refused for options that make no sense, and for what must not be read.
        """
        if context.access is not None:
            refuse(dict.fromkeys(self.refusals(context.access)))
        return self.below(variables, context)

    def below(self, variables: Any, context: Context) -> Fetch:
        """Return what is to be fetched below any field. Raises Refused for options that make no sense."""
        if not self.roles and not self.derived and not self.version_start and not self.lock:
            return STATE_ONLY
        roles = together(*(partial(role.fetch, variables, context) for role in self.roles.values()))
        lock = lock_info.shown(context) if self.lock else None
        return Fetch(dict(zip(self.roles, roles, strict=True)), tuple(self.derived), self.version_start, lock)

    def check_formats(self, variables: Any, formats: Formats) -> None:
        """Raise Refused for formats that are none."""
        mistakes = [asked.mistake(variables, formats) for asked in self.formats]
        if issues := [mistake for mistake in mistakes if mistake is not None]:
            raise Refused(issues)

    def note(self, selected: _Selected) -> None:
        """Ask of the objects what a field asks of them that shows an attribute."""
        shown: AttributeField = selected.field.extensions[ATTRIBUTE]
        self.attributes.append((shown, selected.keys[1:]))
        self.version_start |= shown.attribute.name == VERSION_START
        if shown.attribute.origin is Origin.DERIVED:
            self.derived[shown.attribute.name] = None
        self.note_format(selected)

    def note_format(self, selected: _Selected) -> None:
        """Note the format that a field asks for."""
        node = selected.nodes[0]
        if node.arguments:
            self.formats.append(Format(selected.field, node, selected.keys[1:]))

    def refusals(self, access: Access) -> Iterator[Issue | None]:
        """Yield what must not be read, at any depth."""
        for shown, path in self.attributes:
            hidden = check_class(access, shown.owner, path[:-1])
            yield hidden or check_attribute(access, shown.owner, shown.attribute.name, path)
        for role in self.roles.values():
            yield from role.refusals(access)

    def add(self, other: "Plan") -> None:
        """Ask of the objects what another plan asks of them."""
        self.roles |= other.roles
        self.derived |= other.derived
        self.formats += other.formats
        self.attributes += other.attributes
        self.version_start |= other.version_start
        self.lock |= other.lock


def plan(selections: Selections, key: str, field: GraphQLField, nodes: Sequence[FieldNode]) -> Plan:
    """Return the plan of a root field, with its response key."""
    return _plan(selections, _Selected(field, nodes, (key,)))


def _plan(selections: Selections, above: _Selected) -> Plan:
    """Return the plan for the objects that a field shows: itself, or as items of what it shows."""
    whole = Plan()
    for selected in _below(selections, above):
        extensions = selected.field.extensions
        if ROLE in extensions:
            whole.add(_of_role(selections, above, selected))
        elif ATTRIBUTE in extensions:
            whole.note(selected)
        elif MOMENT in extensions:
            whole.note_format(selected)
        elif isinstance(selected.type, GraphQLObjectType):
            whole.add(_plan(selections, selected))
            whole.lock |= lock_info.WANTED in extensions
    return whole


def _of_role(selections: Selections, above: _Selected, selected: _Selected) -> Plan:
    names = names_of(selections.collect([node.selection_set for node in selected.nodes]))
    below = _plan(selections, selected)
    arguments = Arguments(selected.field, selected.nodes[0])
    own = _RolePlan(selected.field.extensions[ROLE], selected, arguments, names, below)
    return Plan({spot(above.keys[-1], selected.keys[-1]): own}, formats=below.formats)


def _below(selections: Selections, above: _Selected) -> Iterator[_Selected]:
    """Yield the fields below one, but for `__typename`."""
    type_ = above.type
    if isinstance(type_, GraphQLObjectType):
        for key, nodes in selections.collect([node.selection_set for node in above.nodes]).items():
            field = type_.fields.get(nodes[0].name.value)
            if field is not None:
                yield _Selected(field, nodes, (*above.keys, key))
