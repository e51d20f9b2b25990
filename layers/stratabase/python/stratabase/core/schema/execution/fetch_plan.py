"""The fetch plan of a selection: what to fetch of the objects that it shows, before variables are known."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLField,
    GraphQLNamedType,
    GraphQLObjectType,
    get_argument_values,
    get_named_type,
)

from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.access.visibility import check_attribute, check_class, check_role
from stratabase.core.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.domain.objects.version import VERSION_START
from stratabase.core.domain.query.fetch import Associables, Fetch, RoleFetch, ToMany, ToOne, for_totals
from stratabase.core.domain.query.page import Query
from stratabase.core.model.attribute import Origin
from stratabase.core.schema.execution.arguments import FieldArguments
from stratabase.core.schema.execution.selections import Selections, names_of
from stratabase.core.schema.execution.totals_plan import TotalsPlan, plan_totals
from stratabase.core.schema.execution.views import PageRenderer, page_fields
from stratabase.core.schema.inputs.query_reader import query_reader_of
from stratabase.core.schema.request.context import GraphQLContext, ResponseWarning, raise_issues, run_all
from stratabase.core.schema.types import locks
from stratabase.core.schema.types.attribute_types import VALUE, ValueField
from stratabase.core.schema.types.attributes import ATTRIBUTE, AttributeField
from stratabase.core.schema.types.groups import TOTALS
from stratabase.core.schema.types.objects import ROLE, SHOWS_FACT, SHOWS_REVISION, RoleField, nested_key
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

Keys = tuple[str, ...]


class _Selected(NamedTuple):
    """A field in a selection."""

    field: GraphQLField
    nodes: Sequence[FieldNode]
    keys: Keys
    """The path of response keys from the root field to this one."""

    @property
    def type(self) -> GraphQLNamedType:
        """The type of what the field shows, without lists and non-null."""
        return get_named_type(self.field.type)


class UnreadableField(NamedTuple):
    """A selected field that the caller may read of no object."""

    keys: Keys
    """The path of response keys from the root field, without positions in lists."""
    issue: Issue
    nodes: Sequence[FieldNode]

    def error(self) -> GraphQLError:
        """Return the error of the field. It has no positions in lists, because it is about all objects."""
        refusal = Refused([replace(self.issue, path=())])
        return GraphQLError(str(refusal), self.nodes, path=self.keys, original_error=refusal)


Unreadable = Sequence[UnreadableField]


def errors_of(unreadable: Unreadable) -> list[GraphQLError]:
    """Return the errors of unreadable fields."""
    return [each.error() for each in unreadable]


@frozen
class _RolePlan:
    """A role in a selection. Its options are read when the variables are known."""

    role: RoleField
    selected: _Selected
    arguments: FieldArguments
    names: frozenset[str]
    """The names of the fields that are selected directly below, such as those of a page."""
    plan: "FetchPlan"

    def fetch(self, variables: Any, context: GraphQLContext) -> RoleFetch:
        """Return what to fetch of the role. Raises Refused."""
        role = self.role
        if not role.paged:
            return ToOne(role.name, role.role, self.plan.fetch(variables, context))
        query, below = run_all(
            partial(self._query, variables, context), partial(self.plan.fetch, variables, context)
        )
        query = for_totals(query, below.totals)
        shown = PageRenderer(role.target, query.order, self.names)
        return (Associables if role.associables else ToMany)(role.name, role.role, below, query, shown)

    def readable(self, access: Access, unreadable: list[UnreadableField]) -> "_RolePlan | None":
        """Return the part that the caller may read, None if that is nothing. Add the rest to `unreadable`."""
        issue = check_role(access, self.role.owner, self.role.role, self.selected.keys[1:])
        if issue is not None:
            unreadable.append(UnreadableField(self.selected.keys, issue, self.selected.nodes))
            return None
        return replace(self, plan=self.plan.readable(access, unreadable))

    def _query(self, variables: Any, context: GraphQLContext) -> Query:
        given = self.arguments.values(variables)
        try:
            return query_reader_of(self.selected.field).read(
                given.get("options") or {},
                page_fields(self.names, revision=self.plan.revision),
                context.input_context,
            )
        except Refused as refusal:
            # The root field is refused before anything is read or written, so the path starts there.
            keys = self.selected.keys[1:]
            issues = [replace(issue, path=(*keys, *issue.path)) for issue in refusal.issues]
            raise Refused(issues) from None


@dataclass(slots=True)
class FetchPlan:
    """What a selection needs of objects: attributes and their formats, and what roles lead to."""

    roles: dict[str, _RolePlan] = field(default_factory=dict)
    """By key in the view (`nested_key`): the role."""
    totals: dict[str, TotalsPlan] = field(default_factory=dict)
    """The totals that the page of the objects shows, by keys like those of the roles."""
    derived: dict[str, None] = field(default_factory=dict)
    """The names of derived attributes."""
    formats: "list[RequestedFormat]" = field(default_factory=list)
    """The formats of attributes at any depth."""
    attributes: list[_Selected] = field(default_factory=list)
    """The fields that show attributes, except for those below roles."""
    version_start: bool = False
    lock: bool = False
    revision: bool = False
    facts: frozenset[str] = frozenset()
    """The names of the fields that show what only the service knows."""
    _readable_parts: "dict[Access, ReadablePart]" = field(default_factory=dict)
    """By the rights of a profile: the part that it may read."""
    _constant: Fetch | None = None
    """What to fetch, if that is the same for all variables and callers, and was asked for before."""

    def fetch_checked(self, variables: Any, context: GraphQLContext) -> tuple[Fetch, Unreadable]:
        """Return what to fetch below a root field, and the fields that the caller must not read.

        The answer to a query has null in these fields. Raises Refused for invalid options, for objects of a
        class that is closed to the caller, and for unreadable fields of a mutation: clients would take an
        answer with errors for a failure, and write again.
        """
        access = context.access
        if access is None:
            return self.fetch(variables, context), ()
        if access not in self._readable_parts:
            found: list[UnreadableField] = []
            self._readable_parts[access] = ReadablePart(self.readable(access, found), found)
        plan, unreadable = self._readable_parts[access]
        issues = [each.issue for each in unreadable]
        if context.mutates or any(issue.type is IssueType.ENTITY_GRANT_READ for issue in issues):
            # Several fields may cause the same issue of their class, which is reported once.
            raise_issues(dict.fromkeys(issues))
        return plan.fetch(variables, context), unreadable

    def fetch(self, variables: Any, context: GraphQLContext) -> Fetch:
        """Return what to fetch below any field. Raises Refused for invalid options."""
        if self._constant is not None:
            return self._constant
        roles: list[RoleFetch] = []
        if self.roles:
            roles = run_all(*(partial(role.fetch, variables, context) for role in self.roles.values()))
        lock = locks.lock_source(context) if self.lock else None
        fetch = self._own(dict(zip(self.roles, roles, strict=True)), lock)
        if self.totals:
            totals = run_all(*(partial(each.fetch, variables, context) for each in self.totals.values()))
            return replace(fetch, totals=dict(zip(self.totals, totals, strict=True)))
        if self.is_constant:
            self._constant = fetch
        return fetch

    @property
    def is_constant(self) -> bool:
        """Whether `fetch` returns the same for all variables and callers."""
        return not (self.lock or self.totals) and not any(
            role.role.paged or not role.plan.is_constant for role in self.roles.values()
        )

    def _own(self, roles: Mapping[str, RoleFetch], render_lock: Callable[[Entity], Any] | None) -> Fetch:
        shown: Iterator[AttributeField] = (each.field.extensions[ATTRIBUTE] for each in self.attributes)
        # Derived attributes are computed from any others.
        names = None if self.derived else frozenset(each.attribute.name for each in shown)
        return Fetch(
            roles,
            tuple(self.derived),
            self.version_start,
            render_lock,
            self.revision,
            names,
            facts=self.facts,
        )

    def check_formats(self, variables: Any, formats: Formats) -> None:
        """Raise Refused for invalid formats."""
        mistakes = [asked.mistake(variables, formats) for asked in self.formats]
        if issues := [mistake for mistake in mistakes if mistake is not None]:
            raise Refused(issues)

    def format_warnings(self, variables: Any) -> Iterator[ResponseWarning]:
        """Yield a warning for each format that is valid but probably a mistake."""
        for asked in self.formats:
            warning = asked.warning(variables)
            if warning is not None:
                yield warning

    def add_attribute(self, selected: _Selected) -> None:
        """Add a field that shows an attribute."""
        self.show(selected)
        self.add_format(selected)

    def show(self, selected: _Selected) -> None:
        """Add what a field that shows an attribute needs."""
        shown: AttributeField = selected.field.extensions[ATTRIBUTE]
        self.attributes.append(selected)
        self.version_start |= shown.attribute.name == VERSION_START
        if shown.attribute.origin is Origin.DERIVED:
            self.derived[shown.attribute.name] = None

    def add_format(self, selected: _Selected) -> None:
        """Add the format of a field, if it has one."""
        node = selected.nodes[0]
        if node.arguments:
            self.formats.append(RequestedFormat(selected.field, node, selected.keys[1:]))

    def readable(self, access: Access, unreadable: list[UnreadableField]) -> "FetchPlan":
        """Return the plan of the fields that the caller may read. Add the others to `unreadable`."""
        plan = FetchPlan(formats=self.formats, lock=self.lock, revision=self.revision, facts=self.facts)
        for selected in self.attributes:
            shown: AttributeField = selected.field.extensions[ATTRIBUTE]
            path = selected.keys[1:]
            closed = check_class(access, shown.owner, path[:-1])
            issue = closed or check_attribute(access, shown.owner, shown.attribute.name, path)
            if issue is None:
                plan.show(selected)
            elif closed or not shown.is_label:
                unreadable.append(UnreadableField(selected.keys, issue, selected.nodes))
        for key, totals in self.totals.items():
            plan.totals[key], hidden = totals.readable(access)
            unreadable += [UnreadableField(each.keys, issue, each.nodes) for each, issue in hidden]
        for key, role in self.roles.items():
            part = role.readable(access, unreadable)
            if part is not None:
                plan.roles[key] = part
        return plan

    def add(self, other: "FetchPlan") -> None:
        """Add everything that another plan needs of the same objects."""
        self.roles |= other.roles
        self.totals |= other.totals
        self.derived |= other.derived
        self.formats += other.formats
        self.attributes += other.attributes
        self.version_start |= other.version_start
        self.lock |= other.lock
        self.revision |= other.revision
        self.facts |= other.facts


class ReadablePart(NamedTuple):
    """The part of a plan that a profile may read, and the fields that it may not."""

    plan: FetchPlan
    unreadable: Unreadable


def plan_fetch(
    selections: Selections, key: str, field: GraphQLField, nodes: Sequence[FieldNode]
) -> FetchPlan:
    """Return the fetch plan of a root field. `key` is its response key."""
    return _plan_below(selections, _Selected(field, nodes, (key,)))


def _plan_below(selections: Selections, above: _Selected) -> FetchPlan:
    """Return the plan for the objects that a field shows, either directly or as items of a page."""
    plan = FetchPlan()
    for selected in _below(selections, above):
        extensions = selected.field.extensions
        if ROLE in extensions:
            plan.add(_plan_role(selections, above, selected))
        elif ATTRIBUTE in extensions:
            plan.add_attribute(selected)
        elif SHOWS_REVISION in extensions:
            plan.revision = True
        elif SHOWS_FACT in extensions:
            plan.facts |= {extensions[SHOWS_FACT]}
        elif VALUE in extensions:
            plan.add_format(selected)
        elif TOTALS in extensions:
            key = nested_key(above.keys[-1], selected.keys[-1])
            page = above.field, above.nodes[0]
            plan.totals[key] = plan_totals(selections, selected.field, selected.nodes, selected.keys, page)
        if ROLE not in extensions and isinstance(selected.type, GraphQLObjectType):
            # Fields below the items of a page, a lock or a file belong to the same objects.
            plan.add(_plan_below(selections, selected))
            plan.lock |= locks.SHOWS_LOCK in extensions
    return plan


def _plan_role(selections: Selections, above: _Selected, selected: _Selected) -> FetchPlan:
    names = names_of(selections.collect([node.selection_set for node in selected.nodes]))
    below = _plan_below(selections, selected)
    arguments = FieldArguments(selected.field, selected.nodes[0])
    own = _RolePlan(selected.field.extensions[ROLE], selected, arguments, names, below)
    # The root's plan lists the formats of all levels, because each is checked by itself. Grants are checked
    # level by level, because a hidden role is one issue, and everything below it needs no check.
    return FetchPlan({nested_key(above.keys[-1], selected.keys[-1]): own}, formats=below.formats)


def _below(selections: Selections, above: _Selected) -> Iterator[_Selected]:
    """Yield the fields selected below another one, without `__typename`."""
    type_ = above.type
    if isinstance(type_, GraphQLObjectType):
        for key, nodes in selections.collect([node.selection_set for node in above.nodes]).items():
            field = type_.fields.get(nodes[0].name.value)
            if field is not None:
                yield _Selected(field, nodes, (*above.keys, key))


FORMAT_ARGUMENT = "format"


class RequestedFormat(NamedTuple):
    """A field with a format, and its path of response keys from the root field."""

    field: GraphQLField
    node: FieldNode
    keys: Path

    def mistake(self, variables: Any, formats: Formats) -> Issue | None:
        """Return the issue of an invalid format, else None."""
        shown = self._shown
        try:
            shown.attribute.type.serializer(self._pattern(variables), formats)
        except InvalidValue as mistake:
            return _format_issue(shown, mistake, (*self.keys, FORMAT_ARGUMENT))
        return None

    def warning(self, variables: Any) -> ResponseWarning | None:
        """Return the warning for a valid format that is probably a mistake, else None."""
        pattern = self._pattern(variables)
        likely = self._shown.attribute.type.likely_pattern(pattern)
        if likely is None:
            return None
        message = _(
            "{argument}: The pattern {pattern} shows the week-based year (Y) without the week. "
            "You probably mean {likely}.",
            argument=_name_argument(self._shown),
            pattern=describe_value(pattern),
            likely=describe_value(likely),
        )
        return ResponseWarning(message, (*self.keys, FORMAT_ARGUMENT))

    @property
    def _shown(self) -> AttributeField | ValueField:
        extensions = self.field.extensions
        shown: AttributeField | ValueField = extensions.get(ATTRIBUTE) or extensions[VALUE]
        return shown

    def _pattern(self, variables: Any) -> str:
        return get_argument_values(self.field, self.node, variables).get(FORMAT_ARGUMENT) or "default"


def _name_argument(shown: AttributeField | ValueField) -> str:
    type_name = shown.type_name if isinstance(shown, ValueField) else shown.owner.name
    return f"{type_name}.{shown.attribute.name}({FORMAT_ARGUMENT})"


def _format_issue(shown: AttributeField | ValueField, mistake: InvalidValue, path: Path) -> Issue:
    name = shown.attribute.name
    message = _("{argument}: {message}", argument=_name_argument(shown), message=mistake.message)
    if isinstance(shown, ValueField):
        return Issue(IssueType.MALFORMED_REQUEST, message, path=path)
    return Subject(shown.owner).attribute_issue(IssueType.MALFORMED_REQUEST, message, name, path=path)
