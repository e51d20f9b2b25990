"""What a selection asks of the objects that it shows, before the values of variables are known."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from graphql import (
    FieldNode,
    GraphQLField,
    GraphQLNamedType,
    GraphQLObjectType,
    get_argument_values,
    get_named_type,
)

from stratabase.domain.fetch import NOTHING, Associables, Fetch, RoleFetch, ToMany, ToOne
from stratabase.domain.page import Query
from stratabase.domain.refusal import Refused
from stratabase.model.formats import Formats
from stratabase.schema.fetching.page import PageAnswer, wanted
from stratabase.schema.roles import ROLE, RoleField, spot
from stratabase.schema.selections import Selections, names_of

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
    names: frozenset[str]
    """The names of what is selected below: the fields of a page."""
    plan: "Plan"

    def fetch(self, variables: Any, formats: Formats) -> RoleFetch:
        """Return what is to be fetched. Raises Refused."""
        role, below = self.role, self.plan.fetch(variables, formats)
        if not role.paged:
            return ToOne(role.name, role.role, below)
        query = self._query(variables, formats)
        shown = PageAnswer(role.target, query.order, self.names)
        return (Associables if role.associables else ToMany)(role.name, role.role, below, query, shown)

    def _query(self, variables: Any, formats: Formats) -> Query:
        given = get_argument_values(self.selected.field, self.selected.nodes[0], variables)
        try:
            return self.role.reader.read(given.get("options") or {}, wanted(self.names), formats)
        except Refused as refusal:
            # It is the root field that is refused, before anything is read or written.
            keys = self.selected.keys[1:]
            issues = [replace(issue, path=(*keys, *issue.path)) for issue in refusal.issues]
            raise Refused(issues) from None


@dataclass(frozen=True, slots=True)
class Plan:
    """The roles that are selected, by their spots."""

    roles: Mapping[str, _RolePlan]

    def fetch(self, variables: Any, formats: Formats) -> Fetch:
        """Return what is to be fetched. Raises Refused for options that make no sense."""
        if not self.roles:
            return NOTHING
        return Fetch({spot: role.fetch(variables, formats) for spot, role in self.roles.items()})


def plan(selections: Selections, key: str, field: GraphQLField, nodes: Sequence[FieldNode]) -> Plan:
    """Return the plan of a root field, with its response key."""
    return _plan(selections, _Selected(field, nodes, (key,)))


def _plan(selections: Selections, above: _Selected) -> Plan:
    """Return the plan for the objects that a field shows: itself, or as items of what it shows."""
    roles: dict[str, _RolePlan] = {}
    for selected in _below(selections, above):
        role: RoleField | None = selected.field.extensions.get(ROLE)
        if role is not None:
            names = names_of(selections.collect([node.selection_set for node in selected.nodes]))
            own = _RolePlan(role, selected, names, _plan(selections, selected))
            roles[spot(above.keys[-1], selected.keys[-1])] = own
        else:
            roles |= _plan(selections, selected).roles
    return Plan(roles)


def _below(selections: Selections, above: _Selected) -> Iterator[_Selected]:
    """Yield the fields below one that show objects."""
    type_ = above.type
    if isinstance(type_, GraphQLObjectType):
        for key, nodes in selections.collect([node.selection_set for node in above.nodes]).items():
            field = type_.fields.get(nodes[0].name.value)
            if field is not None and isinstance(get_named_type(field.type), GraphQLObjectType):
                yield _Selected(field, nodes, (*above.keys, key))
