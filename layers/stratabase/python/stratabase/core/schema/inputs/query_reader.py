"""Read page options in an API request to the domain's Query."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import takewhile
from typing import Any

from graphql import GraphQLField, get_named_type

from stratabase.core.domain.access.capabilities import capabilities_of
from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.access.visibility import check_comparable, check_role_comparable
from stratabase.core.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.version import VERSION_END, VERSION_START
from stratabase.core.domain.query import cursor
from stratabase.core.domain.query.derived import filtered_attributes, role_filters
from stratabase.core.domain.query.filter import And, ExpressionFilter, Filter
from stratabase.core.domain.query.order import Order, OrderTerm, Position
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.model.api_names import FILTER_EXP
from stratabase.core.model.model import Class, Model
from stratabase.core.model.model_expressions import PermittedSymbols, expressions_of
from stratabase.core.model.types.base import AttributeType, Stored
from stratabase.core.model.types.temporal import OutOfCalendar
from stratabase.core.schema.inputs.filter_reader import FilterReader, InputObject
from stratabase.core.schema.request.context import InputContext, raise_issues, run_all
from stratabase.core.schema.types.attributes import sortable_attributes
from stratabase.values.cel.syntax import ExpressionError, InvalidExpression
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import ISO_FORMAT, Formats
from stratabase.values.messages import Message, _, and_list

MAX_ITEMS = 10_000
"""The largest size of a page."""
DEFAULT_SIZE = 10
"""The size of a page if the options don't say it."""
CONDITION_OPTIONS = ("filter", FILTER_EXP)
"""The options that select objects. If both have a condition, both must hold."""

_EXACT_FIELDS = {name: f'{name}(format: "{ISO_FORMAT}")' for name in (VERSION_START, VERSION_END)}
"""By attribute that must be given exactly: the field to select for an exact value."""


class QueryReader:
    """Reads the page options of one class.

    `default_size` is the size of a page if the options don't say it.
    """

    def __init__(  # noqa: PLR0913 - of what, and how it is read
        self,
        model: Model,
        class_: Class,
        max_items: int = MAX_ITEMS,
        default_size: int = DEFAULT_SIZE,
        ordering: Callable[[Iterable[OrderTerm]], Order] = Order.of,
        *,
        skip_nulls: bool = True,
        along_roles: bool = True,
    ) -> None:
        """`ordering` makes the order of a client's terms.

        If `skip_nulls`, leave out parts of a filter that are null or empty, because search forms send them.
        For services that write objects, they are mistakes. Unless `along_roles`, filters can't test roles.
        """
        self.model = model
        self.class_ = class_
        self.shows_present = along_roles
        """Whether a page shows objects that exist, and each of them once."""
        self._ordering = ordering
        self._default_size = default_size
        self._subject = Subject(class_)
        self._filters = FilterReader(model, class_, skip_nulls=skip_nulls, along_roles=along_roles)
        self._conditions = ConditionReader(model, class_)
        self._most_items = max_items

    @cached_property
    def _types(self) -> dict[str, AttributeType]:
        return {attribute.name: attribute.type for attribute in sortable_attributes(self.class_)}

    def read(
        self,
        options: InputObject,
        fields: PageFields,
        input_context: InputContext,
        at: Instant | None = None,
    ) -> Query:
        """Return the query for a page of the present, or as of `at`. Raises Refused with all issues."""
        return self.read_with_conditions(options, fields, input_context, at)[0]

    def read_with_conditions(
        self,
        options: InputObject,
        fields: PageFields,
        input_context: InputContext,
        at: Instant | None = None,
    ) -> tuple[Query, Mapping[str, Filter | None]]:
        """Return the query, and what it selects by: the filter of each option of `CONDITION_OPTIONS`.

        The filter of an option that is absent, null or blank is None. Raises Refused with all issues.
        """
        order = self._ordering(options.get("orderBy") or ())
        # Run all of these even if one refuses, to report all mistakes at once.
        filter_, condition, window, _order = run_all(
            lambda: self._filter(options, input_context),
            lambda: self._condition(options, input_context),
            lambda: self._window(options, order, input_context.formats, at),
            lambda: self._require_comparable(
                input_context, (term.attribute for term in order.terms), "orderBy"
            ),
        )
        query = Query(self.class_.name, order, _intersect(filter_, condition), window, fields)
        return query, dict(zip(CONDITION_OPTIONS, (filter_, condition), strict=True))

    def _filter(self, options: InputObject, input_context: InputContext) -> Filter | None:
        input_object = options.get("filter")
        if input_object is None:
            return None
        path = ("options", "filter")
        filter_ = self._filters.read(input_object, input_context.formats, path, input_context.access)
        if input_context.access is not None:
            require_filter(input_context.access, self.model, self.class_, filter_, path)
        return filter_

    def _condition(self, options: InputObject, input_context: InputContext) -> Filter | None:
        text = options.get(FILTER_EXP)
        if text is None or not text.strip():
            return None
        condition = self._conditions.read(text, input_context, ("options", FILTER_EXP))
        self._require_comparable(input_context, filtered_attributes(condition), FILTER_EXP)
        return condition

    def _require_comparable(self, input_context: InputContext, names: Iterable[str], option: str) -> None:
        """Raise Refused for attributes that the caller may not use to find objects."""
        if input_context.access is not None:
            require_comparable(input_context.access, self.class_, names, ("options", option))

    def _window(self, options: InputObject, order: Order, formats: Formats, at: Instant | None) -> Window:
        self._refuse_both(options, "next", "prev")
        self._refuse_both(options, "cursor", "fromCursor")
        backward = options.get("prev") is not None
        return Window(
            size=self._count(options, "prev" if backward else "next", self._default_size, self._most_items),
            backward=backward,
            offset=self._count(options, "offset", 0),
            start=self._start(options, order, formats, at),
            inclusive=options.get("fromCursor") is not None,
        )

    def _start(
        self, options: InputObject, order: Order, formats: Formats, at: Instant | None
    ) -> Position | None:
        text, values = options.get("cursor"), options.get("fromCursor")
        if text is not None:
            return self._position_of_cursor(str(text), order, at)
        return None if values is None else self._position_of_values(values, order, formats)

    def _position_of_cursor(self, text: str, order: Order, at: Instant | None) -> Position:
        try:
            return cursor.decode_cursor(text, order, self.class_, at)
        except cursor.BadCursor as mistake:
            raise self._refused(mistake.message, "cursor") from None

    def _position_of_values(self, values: InputObject, order: Order, formats: Formats) -> Position:
        """Return the position of attribute values. They may be those of a whole object."""
        terms = [term.attribute for term in order.terms]
        leading = [*takewhile(values.__contains__, terms)]
        beyond_gap = [name for name in terms if name in values and name not in leading]
        # The values must be those of the first terms, or the position would be ambiguous.
        if values and (beyond_gap or not leading):
            message = _(
                "{option} has {given}, but the sort order is {order}. "
                "Use the first attributes of the sort order, without gaps.",
                option="fromCursor",
                given=and_list(values),
                order=and_list(terms),
            )
            raise self._refused(message, "fromCursor")
        return Position(tuple(self._read_value(name, values[name], formats) for name in leading))

    def _read_value(self, name: str, value: Any, formats: Formats) -> Stored:
        try:
            return None if value is None else self._types[name].read(value, formats)
        except OutOfCalendar as beyond:
            return beyond.nearest
        except InvalidValue as mistake:
            path = ("options", "fromCursor", name)
            message = self._describe_mistake(name, mistake)
            raise Refused(
                [self._subject.attribute_issue(IssueType.DATA_TYPE, message, name, path=path)]
            ) from None

    def _describe_mistake(self, name: str, mistake: InvalidValue) -> Message:
        attribute, field = f"{self.class_.name}.{name}", _EXACT_FIELDS.get(name)
        if field is None:
            return _("{attribute}: {message}", attribute=attribute, message=mistake.message)
        return _(
            "{attribute}: {message} To get an exact value, select {field}.",
            attribute=attribute,
            message=mistake.message,
            field=field,
        )

    def _count(self, options: InputObject, name: str, default: int, maximum: int | None = None) -> int:
        count = options.get(name)
        if count is None:
            return default
        if count < 0 or (maximum is not None and count > maximum):
            raise self._refused(describe_range(name, count, maximum), name)
        return int(count)

    def _refuse_both(self, options: InputObject, one: str, other: str) -> None:
        if options.get(one) is not None and options.get(other) is not None:
            message = _(
                "{option} and {other_option} can't be used together. Use only one of them.",
                option=one,
                other_option=other,
            )
            raise self._refused(message, other)

    def _refused(self, message: Message, name: str) -> Refused:
        labeled = _("{class_name}: {message}", class_name=self.class_.name, message=message)
        return Refused([self._subject.issue(IssueType.MALFORMED_REQUEST, labeled, "options", name)])


def describe_range(option: str, value: int, maximum: int | None) -> Message:
    """Return the message for an option whose number is below 0 or above a maximum, if there is one."""
    if maximum is None:
        return _("{option} is {value}. Use 0 or more.", option=option, value=str(value))
    return _(
        "{option} is {value}. Use a number from {minimum} to {maximum}.",
        option=option,
        value=str(value),
        minimum="0",
        maximum=str(maximum),
    )


def _intersect(one: Filter | None, other: Filter | None) -> Filter | None:
    """Return the filter for objects that match both filters. None means no filter."""
    if one is None or other is None:
        return other if one is None else one
    return And((one, other))


MAX_MISTAKES = 9
"""In one condition. The next attempt reports the others."""


class ConditionReader:
    """Reads the CEL conditions of a class that clients send."""

    def __init__(self, model: Model, class_: Class) -> None:
        self._model = model
        self._subject = Subject(class_)

    def read(self, text: str, input_context: InputContext, path: Path) -> ExpressionFilter:
        """Return the condition as a filter. Raises Refused with its mistakes and their places in the text."""
        expressions = expressions_of(self._model)
        try:
            expression = expressions.filter(self._subject.class_.name, text)
        except InvalidExpression as mistakes:
            seen = self._seen_mistakes(text, mistakes, input_context.access)
            raise Refused(self._issues(text, seen, input_context, path)) from None
        return ExpressionFilter(expression, input_context.make_evaluation())

    def _seen_mistakes(
        self, text: str, mistakes: InvalidExpression, access: Access | None
    ) -> InvalidExpression:
        """Return the mistakes of a condition without the names that the caller may not use."""
        if access is None:
            return mistakes
        capabilities, classes = capabilities_of(access), self._model.classes
        symbols = PermittedSymbols(
            self._model, lambda class_name, name: capabilities.compares(classes[class_name], name)
        )
        try:
            expressions_of(self._model).filter_over(symbols, self._subject.class_.name, text)
        except InvalidExpression as seen:
            return seen
        return mistakes

    def _issues(
        self, text: str, mistakes: InvalidExpression, input_context: InputContext, path: Path
    ) -> Iterator[Issue]:
        for mistake in mistakes.errors[:MAX_MISTAKES]:
            described = str(mistake) if input_context.suggestions else mistake.message
            message = _(
                "{class_name}: {option}, {place}: {message}",
                class_name=self._subject.class_.name,
                option=FILTER_EXP,
                place=_describe_place(text, mistake),
                message=described,
            )
            yield self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path)


def _describe_place(text: str, mistake: ExpressionError) -> Message:
    """Return the place of a mistake: lines and characters count from 1."""
    line, start = text.count("\n", 0, mistake.at) + 1, text.rfind("\n", 0, mistake.at) + 1
    column = mistake.at - start + 1
    if "\n" in text:
        return _("line {line}, character {column}", line=str(line), column=str(column))
    return _("character {column}", column=str(column))


QUERY_READER = "queryReader"
"""The key in the `extensions` of a `PageOptions` type for its reader."""


def query_reader_of(field: GraphQLField) -> QueryReader:
    """Return the reader for the `options` argument of a field that answers a page."""
    type_ = get_named_type(field.args["options"].type)
    reader: QueryReader = type_.extensions[QUERY_READER]
    return reader


def require_comparable(access: Access, class_: Class, names: Iterable[str], path: Path) -> None:
    """Raise Refused for attributes that the caller may not use to find objects."""
    raise_issues(check_comparable(access, class_, name, path) for name in dict.fromkeys(names))


def require_filter(access: Access, model: Model, class_: Class, filter_: Filter, path: Path) -> None:
    """Raise Refused for attributes and roles in a filter that the caller may not use to find objects."""
    raise_issues(_filter_issues(access, model, class_, filter_, path))


def _filter_issues(
    access: Access, model: Model, class_: Class, filter_: Filter, path: Path
) -> Iterator[Issue | None]:
    """Yield the issues of each class along the roles of a filter, each once."""
    waiting, seen = [(class_, filter_)], set[tuple[str, str]]()
    while waiting:
        class_, filter_ = waiting.pop()
        for name in filtered_attributes(filter_):
            if (class_.name, name) not in seen:
                seen.add((class_.name, name))
                yield check_comparable(access, class_, name, path)
        for condition in role_filters(filter_):
            role = class_.roles[condition.role.role_name]
            if condition.role not in seen:
                seen.add(condition.role)
                yield check_role_comparable(access, class_, role, path)
            waiting.append((model.classes[role.target], condition.part))
