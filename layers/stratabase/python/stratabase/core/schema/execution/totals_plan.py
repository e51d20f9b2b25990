"""The plan of a field that shows totals: what it selects, its arguments, and how to answer it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from graphql import FieldNode, GraphQLField, get_named_type

from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.access.visibility import check_comparable, check_role_comparable, may_read_label
from stratabase.core.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.cursor import BadCursor, decode_group_cursor, encode_group_cursor
from stratabase.core.domain.query.fetch import CountFetch, GroupFetch, Labels, TotalsFetch
from stratabase.core.domain.query.groups import (
    MAX_GROUPS,
    Group,
    Grouping,
    GroupKey,
    GroupPage,
    GroupPart,
    GroupTest,
    Measure,
    measured_type,
)
from stratabase.core.model.api_names import COUNT, ID, KEYS, LABEL, group_key
from stratabase.core.model.model import Class
from stratabase.core.model.types.base import Stored
from stratabase.core.model.types.operators import Operator, Total
from stratabase.core.model.types.temporal import OutOfCalendar
from stratabase.core.schema.execution.arguments import FieldArguments
from stratabase.core.schema.execution.selections import Selections, names_of
from stratabase.core.schema.inputs.query_reader import MAX_ITEMS, describe_range
from stratabase.core.schema.inputs.service_arguments import AT_VERSION, read_instants
from stratabase.core.schema.request.context import GraphQLContext, raise_issues, run_all
from stratabase.core.schema.types.groups import (
    DEFAULT_GROUPS,
    GROUP_TEST,
    GROUPED_OBJECT,
    MEASURED,
    TOTALS,
    GroupTestField,
    TotalsField,
    TotalsKind,
)
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _

_ITEMS = "items"
_NO_LABELS: Mapping[str, str | None] = {}


class Measured(NamedTuple):
    """A selected field that shows totals of an attribute or role."""

    name: str
    totals: frozenset[Total]
    keys: tuple[str, ...]
    """The path of response keys from the root field."""
    nodes: Sequence[FieldNode]

    @property
    def measures(self) -> Iterator[Measure]:
        """The measures that the field shows."""
        return (Measure(self.name, total) for total in self.totals)


@frozen
class TotalsPlan:
    """A field that shows totals, before variables are known."""

    shown: TotalsField
    arguments: FieldArguments
    argument_types: GraphQLField
    keys: tuple[str, ...]
    """The path of response keys from the root field."""
    measured: tuple[Measured, ...]
    page_arguments: FieldArguments | None
    """The arguments of the page with the totals, None if it never shows the past."""
    labelled: frozenset[str] = frozenset()
    """The names of the keys that are shown with the labels of their objects."""

    def readable(self, access: Access) -> tuple["TotalsPlan", list[tuple[Measured, Issue]]]:
        """Return the part that the caller may read, and the fields of the rest with their issues."""
        found = [(each, self._issue(access, each.name, each.keys[1:])) for each in self.measured]
        part = replace(self, measured=tuple(each for each, issue in found if issue is None))
        return part, [(each, issue) for each, issue in found if issue is not None]

    def fetch(self, variables: Any, context: GraphQLContext) -> TotalsFetch:
        """Return what to compute. Raises Refused for invalid arguments, and what the caller may not use."""
        given = self.arguments.values(variables)
        if self.shown.kind is TotalsKind.COUNT:
            return CountFetch(self._number(given, "limit", 0, MAX_ITEMS), _count_source)
        measures = frozenset(measure for each in self.measured for measure in each.measures)
        if self.shown.kind is TotalsKind.AGGREGATES:
            grouping = Grouping(measures=measures)
            return GroupFetch(grouping, lambda page, _: _totals_source(page.items[0]), self.keys[1:])
        at = self._instant(variables, context)
        grouping = self._grouping(given, measures, context, at)
        labelled = (key.name for key in grouping.keys if group_key(*key) in self.labelled)
        shown = frozenset(role for role in labelled if self._shows_label(role, context.access))
        return GroupFetch(grouping, partial(_page_source, grouping, self._class, at), self.keys[1:], shown)

    def _instant(self, variables: Any, context: GraphQLContext) -> Instant | None:
        """Return the instant that the page shows, None for the present. Raises Refused."""
        given = {} if self.page_arguments is None else self.page_arguments.values(variables)
        if given.get(AT_VERSION) is None:
            return None
        (readings,) = read_instants(self._class, given, context.caller.formats, AT_VERSION)
        return readings[0]

    def _shows_label(self, role: str, access: Access | None) -> bool:
        """Return whether the caller may read the labels of the objects that a role leads to."""
        return may_read_label(access, self.shown.model.classes[self._class.roles[role].target])

    @property
    def _class(self) -> Class:
        return self.shown.class_

    def _grouping(
        self,
        given: Mapping[str, Any],
        measures: frozenset[Measure],
        context: GraphQLContext,
        at: Instant | None,
    ) -> Grouping:
        keys, order = tuple(dict.fromkeys(given["by"])), tuple(given.get("orderBy") or ())
        if not keys:
            raise self._refused(_("by has no key. Name at least one."), "by")
        # Run all of these even if one refuses, to report all mistakes at once.
        tests, size, *_rest = run_all(
            lambda: self._tests(given.get("having") or {}, context),
            lambda: self._number(given, "next", DEFAULT_GROUPS, MAX_GROUPS),
            lambda: self._require(context, [key.name for key in keys], "by"),
            lambda: self._require(context, _names(term.by for term in order), "orderBy"),
        )
        grouping = Grouping(keys, measures, tests, order, size)
        text = given.get("cursor")
        return grouping if text is None else replace(grouping, start=self._start(str(text), grouping, at))

    def _start(self, text: str, grouping: Grouping, at: Instant | None) -> tuple[Stored, ...]:
        try:
            return decode_group_cursor(text, grouping, self._class, at)
        except BadCursor as mistake:
            raise self._refused(mistake.message, "cursor") from None

    def _tests(self, having: Mapping[str, Any], context: GraphQLContext) -> tuple[GroupTest, ...]:
        having_type: Any = get_named_type(self.argument_types.args["having"].type)
        fields = having_type.fields
        asked = {name: fields[name].extensions[GROUP_TEST] for name in having}
        self._require(context, _names(test.by for test in asked.values()), "having")
        formats = context.caller.formats
        read = run_all(*(partial(self._test, name, asked[name], having[name], formats) for name in having))
        return tuple(test for test in read if test is not None)

    def _test(self, name: str, test: GroupTestField, value: Any, formats: Formats) -> GroupTest | None:
        by, operator = test
        if value is None:  # as in the filters of pages
            return GroupTest(by, operator, None) if operator in {Operator.EQ, Operator.NE} else None
        try:
            return GroupTest(by, operator, measured_type(self._class, by).read(value, formats))
        except OutOfCalendar as beyond:
            return GroupTest(by, operator, beyond.nearest)
        except InvalidValue as mistake:
            message = _(
                "{class_name}: {option}: {message}",
                class_name=self._class.name,
                option=name,
                message=mistake.message,
            )
            path = (*self.keys[1:], "having", name)
            raise Refused([Subject(self._class).issue(IssueType.DATA_TYPE, message, *path)]) from None

    def _require(self, context: GraphQLContext, names: Sequence[str], argument: str) -> None:
        """Raise Refused for attributes and roles that the caller may not use to find objects."""
        access = context.access
        if access is not None:
            path = (*self.keys[1:], argument)
            raise_issues(self._issue(access, name, path) for name in dict.fromkeys(names))

    def _issue(self, access: Access, name: str, path: Path) -> Issue | None:
        role = self._class.roles.get(name)
        if role is not None:
            return check_role_comparable(access, self._class, role, path)
        return check_comparable(access, self._class, name, path)

    def _number(self, given: Mapping[str, Any], name: str, default: int, maximum: int) -> int:
        number = given.get(name)
        if number is None:
            return default
        if not 0 <= number <= maximum:
            raise self._refused(describe_range(name, number, maximum), name)
        return int(number)

    def _refused(self, message: Message, argument: str) -> Refused:
        labeled = _("{class_name}: {message}", class_name=self._class.name, message=message)
        path = (*self.keys[1:], argument)
        return Refused([Subject(self._class).issue(IssueType.MALFORMED_REQUEST, labeled, *path)])


def plan_totals(
    selections: Selections,
    field: GraphQLField,
    nodes: Sequence[FieldNode],
    keys: tuple[str, ...],
    page: tuple[GraphQLField, FieldNode],
) -> TotalsPlan:
    """Return the plan of a field that shows totals, at a path of response keys from the root field.

    `page`: the field of the page with the totals.
    """
    shown: TotalsField = field.extensions[TOTALS]
    measured = tuple(_measured(selections, get_named_type(field.type), nodes, keys))
    labelled = frozenset(_labelled(selections, get_named_type(field.type), nodes))
    page_arguments = FieldArguments(*page) if AT_VERSION in page[0].args else None
    return TotalsPlan(shown, FieldArguments(field, nodes[0]), field, keys, measured, page_arguments, labelled)


def _measured(
    selections: Selections, type_: Any, nodes: Sequence[FieldNode], keys: tuple[str, ...]
) -> Iterator[Measured]:
    for key, selected in selections.collect([node.selection_set for node in nodes]).items():
        field = type_.fields.get(selected[0].name.value)
        if field is None:
            continue
        below = (*keys, key)
        if MEASURED in field.extensions:
            names = names_of(selections.collect([node.selection_set for node in selected]))
            totals = frozenset(total for total in Total if total.value in names)
            yield Measured(field.extensions[MEASURED], totals, below, selected)
        elif selected[0].name.value == _ITEMS:
            yield from _measured(selections, get_named_type(field.type), selected, below)


def _labelled(selections: Selections, type_: Any, nodes: Sequence[FieldNode]) -> Iterator[str]:
    """Yield the names of the keys of which labels are selected."""
    for selected in selections.collect([node.selection_set for node in nodes]).values():
        name = selected[0].name.value
        field = type_.fields.get(name)
        below = None if field is None else get_named_type(field.type)
        if name in {_ITEMS, KEYS}:
            yield from _labelled(selections, below, selected)
        elif below is GROUPED_OBJECT:
            inside = selections.collect([node.selection_set for node in selected])
            if LABEL in names_of(inside):
                yield name


def _names(parts: Iterator[Measure | GroupPart]) -> list[str]:
    return [part.name for part in parts if isinstance(part, Measure)]


def _count_source(count: int, more: bool) -> dict[str, Any]:  # noqa: FBT001 - half of the answer
    return {"count": count, "more": more}


def _totals_source(group: Group) -> dict[str, Any]:
    source: dict[str, Any] = {COUNT: group.number}
    for (name, total), value in group.measures.items():
        source.setdefault(name, {})[total.value] = value
    return source


def _page_source(
    grouping: Grouping, class_: Class, at: Instant | None, page: GroupPage, labels: Labels
) -> dict[str, Any]:
    names = [group_key(*key) for key in grouping.keys]
    last = page.items[-1] if page.items else None
    return {
        _ITEMS: [
            {**_totals_source(group), KEYS: _keys_source(names, grouping.keys, group, class_, labels)}
            for group in page.items
        ],
        "totalCount": page.total_count,
        "nextCursor": None if last is None else encode_group_cursor(last, grouping, class_, at),
        "hasNext": page.has_next,
    }


def _keys_source(
    names: Sequence[str], keys: Sequence[GroupKey], group: Group, class_: Class, labels: Labels
) -> dict[str, Any]:
    return {
        name: {ID: value, LABEL: labels.get(key.name, _NO_LABELS).get(str(value))}
        if key.name in class_.roles and value is not None
        else value
        for name, key, value in zip(names, keys, group.keys, strict=True)
    }
