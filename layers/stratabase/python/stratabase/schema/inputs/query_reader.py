"""From page options as a client gives them to the domain's Query."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import takewhile
from typing import Any

from graphql import GraphQLField, get_named_type

from stratabase.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.domain.issues.refusals import Refused
from stratabase.domain.objects.version import VERSION_END, VERSION_START
from stratabase.domain.query import cursor
from stratabase.domain.query.derived import filtered_attributes
from stratabase.domain.query.filter import And, ExpressionFilter, Filter
from stratabase.domain.query.order import Order, OrderTerm, Position
from stratabase.domain.query.page import PageFields, Query, Window
from stratabase.expressions.errors import ExpressionError, InvalidExpression
from stratabase.formats.invalid_value import InvalidValue
from stratabase.formats.preferences import Formats
from stratabase.messages import Message, _, and_list
from stratabase.model.api_names import FILTER_EXP
from stratabase.model.model import Class, Model
from stratabase.model.model_expressions import expressions_of
from stratabase.model.types.base import AttributeType
from stratabase.model.types.storage import Stored
from stratabase.model.types.temporal import OutOfCalendar
from stratabase.schema.inputs.filter_reader import FilterReader
from stratabase.schema.request.context import InputContext
from stratabase.schema.request.refusals import require_comparable, run_all
from stratabase.schema.types.attributes import sortable_attributes

MOST_ITEMS = 10_000
"""The largest page."""
DEFAULT_SIZE = 10
"""How many objects a page has if it is not said."""


Given = Mapping[str, Any]


_EXACT_FIELDS = {
    name: f"{name}(format: \"yyyy-MM-dd'T'HH:mm:ss.SSSXXX\")" for name in (VERSION_START, VERSION_END)
}
"""For an attribute that needs an exact value, the field to select for one."""


class QueryReader:
    """Reads the page options of one class; `default_size`: how many objects are meant if it is not said."""

    def __init__(  # noqa: PLR0913 - of what, and how it is read
        self,
        model: Model,
        class_: Class,
        most_items: int = MOST_ITEMS,
        default_size: int = DEFAULT_SIZE,
        ordering: Callable[[Iterable[OrderTerm]], Order] = Order.of,
        *,
        skip_nulls: bool = True,
    ) -> None:
        """`ordering`: the order that the terms of a client mean.

        `skip_nulls`: leave out conditions that are null or empty, as search forms send them. Where the
        objects are written, they are mistakes.
        """
        self._class = class_
        self._ordering = ordering
        self._default_size = default_size
        self._subject = Subject(class_)
        self._skip_nulls = skip_nulls
        self._filters = FilterReader(class_, skip_nulls=skip_nulls)
        self._conditions = ConditionReader(model, class_)
        self._most_items = most_items

    @cached_property
    def _types(self) -> dict[str, AttributeType]:
        return {attribute.name: attribute.type for attribute in sortable_attributes(self._class)}

    def read(self, options: Given, fields: PageFields, settings: InputContext) -> Query:
        """Return the query. Raises Refused with all that is wrong."""
        order = self._ordering(options.get("orderBy") or ())
        filter_, condition, window, _order = run_all(
            lambda: self._filter(options, settings),
            lambda: self._condition(options, settings),
            lambda: self._window(options, order, settings.formats),
            lambda: self._check(settings, (term.attribute for term in order.terms), "orderBy"),
        )
        return Query(self._class.name, order, _both(filter_, condition), window, fields)

    def _filter(self, options: Given, settings: InputContext) -> Filter | None:
        given = options.get("filter")
        if given is None:
            return None
        filter_ = self._filters.read(given, settings.formats, ("options", "filter"))
        self._check(settings, filtered_attributes(filter_), "filter")
        return filter_

    def _condition(self, options: Given, settings: InputContext) -> Filter | None:
        text = options.get(FILTER_EXP)
        if text is None or (self._skip_nulls and not text.strip()):
            return None
        condition = self._conditions.read(text, settings, ("options", FILTER_EXP))
        self._check(settings, filtered_attributes(condition), FILTER_EXP)
        return condition

    def _check(self, settings: InputContext, names: Iterable[str], option: str) -> None:
        """Raise Refused for attributes by which who asks can find no objects."""
        if settings.access is not None:
            require_comparable(settings.access, self._class, names, ("options", option))

    def _window(self, options: Given, order: Order, formats: Formats) -> Window:
        self._refuse_both(options, "next", "prev")
        self._refuse_both(options, "cursor", "fromCursor")
        backward = options.get("prev") is not None
        return Window(
            size=self._count(options, "prev" if backward else "next", self._default_size, self._most_items),
            backward=backward,
            offset=self._count(options, "offset", 0),
            start=self._start(options, order, formats),
            inclusive=options.get("fromCursor") is not None,
        )

    def _start(self, options: Given, order: Order, formats: Formats) -> Position | None:
        text, values = options.get("cursor"), options.get("fromCursor")
        if text is not None:
            return self._from_text(str(text), order)
        return None if values is None else self._from_values(values, order, formats)

    def _from_text(self, text: str, order: Order) -> Position:
        try:
            return cursor.decode_cursor(text, order, self._class)
        except cursor.BadCursor as mistake:
            raise self._refused(mistake.message, "cursor") from None

    def _from_values(self, values: Given, order: Order, formats: Formats) -> Position:
        """Return the position of values, which may be those of a whole object."""
        terms = [term.attribute for term in order.terms]
        leading = [*takewhile(values.__contains__, terms)]
        beyond_gap = [name for name in terms if name in values and name not in leading]
        if values and (beyond_gap or not leading):
            message = _(
                "{option} has {given}, but the sort order is {order}. "
                "Use the first attributes of the sort order, without gaps.",
                option="fromCursor",
                given=and_list(values),
                order=and_list(terms),
            )
            raise self._refused(message, "fromCursor")
        return Position(tuple(self._read(name, values[name], formats) for name in leading))

    def _read(self, name: str, given: Any, formats: Formats) -> Stored:
        try:
            return None if given is None else self._types[name].read(given, formats)
        except OutOfCalendar as beyond:
            return beyond.nearest
        except InvalidValue as mistake:
            path = ("options", "fromCursor", name)
            message = self._describe_mistake(name, mistake)
            raise Refused(
                [self._subject.attribute_issue(IssueType.DATA_TYPE, message, name, path=path)]
            ) from None

    def _describe_mistake(self, name: str, mistake: InvalidValue) -> Message:
        attribute, field = f"{self._class.name}.{name}", _EXACT_FIELDS.get(name)
        if field is None:
            return _("{attribute}: {message}", attribute=attribute, message=mistake.message)
        return _(
            "{attribute}: {message} To get an exact value, select {field}.",
            attribute=attribute,
            message=mistake.message,
            field=field,
        )

    def _count(self, options: Given, name: str, default: int, most: int | None = None) -> int:
        count = options.get(name)
        if count is None:
            return default
        if count < 0 or (most is not None and count > most):
            raise self._refused(_describe_range(name, count, most), name)
        return int(count)

    def _refuse_both(self, options: Given, one: str, other: str) -> None:
        if options.get(one) is not None and options.get(other) is not None:
            message = _(
                "{option} and {other_option} can't be used together. Use only one of them.",
                option=one,
                other_option=other,
            )
            raise self._refused(message, other)

    def _refused(self, message: Message, name: str) -> Refused:
        labeled = _("{class_name}: {message}", class_name=self._class.name, message=message)
        return Refused([self._subject.issue(IssueType.MALFORMED_REQUEST, labeled, "options", name)])


def _describe_range(option: str, given: int, most: int | None) -> Message:
    if most is None:
        return _("{option} is {value}. Use 0 or more.", option=option, value=str(given))
    return _(
        "{option} is {value}. Use a number from {minimum} to {maximum}.",
        option=option,
        value=str(given),
        minimum="0",
        maximum=str(most),
    )


def _both(one: Filter | None, other: Filter | None) -> Filter | None:
    """Return the filter of what passes two, each of which may be missing."""
    if one is None or other is None:
        return other if one is None else one
    return And((one, other))


MOST_MISTAKES = 9
"""Of one condition; who mends these is told of the others."""


class ConditionReader:
    """Reads the conditions on objects of one class."""

    def __init__(self, model: Model, class_: Class) -> None:
        self._model = model
        self._subject = Subject(class_)

    def read(self, text: str, settings: InputContext, path: Path) -> ExpressionFilter:
        """Return the condition. Raises Refused with what is wrong, and where in the text."""
        expressions = expressions_of(self._model)
        try:
            expression = expressions.filter(self._subject.class_.name, text)
        except InvalidExpression as mistakes:
            raise Refused(self._issues(text, mistakes, settings, path)) from None
        return ExpressionFilter(expression, settings.evaluation)

    def _issues(
        self, text: str, mistakes: InvalidExpression, settings: InputContext, path: Path
    ) -> Iterator[Issue]:
        for mistake in mistakes.errors[:MOST_MISTAKES]:
            described = str(mistake) if settings.suggestions else mistake.message
            message = _(
                "{class_name}: {option}, {place}: {message}",
                class_name=self._subject.class_.name,
                option=FILTER_EXP,
                place=_describe_place(text, mistake),
                message=described,
            )
            yield self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path)


def _describe_place(text: str, mistake: ExpressionError) -> Message:
    """Return where a mistake is, as a person counts."""
    line, start = text.count("\n", 0, mistake.at) + 1, text.rfind("\n", 0, mistake.at) + 1
    column = mistake.at - start + 1
    if "\n" in text:
        return _("line {line}, character {column}", line=str(line), column=str(column))
    return _("character {column}", column=str(column))


QUERY_READER = "queryReader"
"""The extension of a class's `PageOptions` that holds what reads them."""


def query_reader_of(field: GraphQLField) -> QueryReader:
    """Return what reads the `options` argument of a field that answers a page."""
    type_ = get_named_type(field.args["options"].type)
    reader: QueryReader = type_.extensions[QUERY_READER]
    return reader
