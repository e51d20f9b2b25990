"""From page options as a client gives them to the domain's Query."""

from collections.abc import Callable, Iterable, Mapping
from itertools import takewhile
from typing import Any

from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.objects.version import VERSION_END, VERSION_START
from stratabase.domain.query import cursor
from stratabase.domain.query.derived import filtered_attributes
from stratabase.domain.query.filter import And, Filter
from stratabase.domain.query.order import Order, OrderTerm, Position
from stratabase.domain.query.page import PageFields, Query, Window
from stratabase.domain.refusal import Refused
from stratabase.domain.subject import Subject
from stratabase.formats.invalid_value import InvalidValue
from stratabase.formats.preferences import Formats
from stratabase.model.api_names import FILTER_EXP
from stratabase.model.model import Class, Model
from stratabase.model.types.storage import Stored
from stratabase.model.types.temporal import OutOfCalendar
from stratabase.schema.asking import Asking
from stratabase.schema.attributes import sortable
from stratabase.schema.condition_reading import ConditionReader
from stratabase.schema.filter_reading import FilterReader
from stratabase.schema.grants import check_comparisons
from stratabase.schema.options import DEFAULT_SIZE
from stratabase.schema.together import together

MOST_ITEMS = 10_000

Given = Mapping[str, Any]

_HINTS = {
    name: f"; {name}(format: \"yyyy-MM-dd'T'HH:mm:ss.SSSXXX\") shows it so"
    for name in (VERSION_START, VERSION_END)
}
"""How to come by a value that is exact."""


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
        self._types = {attribute.name: attribute.type for attribute in sortable(class_)}
        self._most_items = most_items

    def read(self, options: Given, wanted: PageFields, asking: Asking) -> Query:
        """Return the query. Raises Refused with all that is wrong."""
        order = self._ordering(options.get("orderBy") or ())
        filter_, condition, window, _ = together(
            lambda: self._filter(options, asking),
            lambda: self._condition(options, asking),
            lambda: self._window(options, order, asking.formats),
            lambda: self._check(asking, (term.attribute for term in order.terms), "orderBy"),
        )
        return Query(self._class.name, order, _both(filter_, condition), window, wanted)

    def _filter(self, options: Given, asking: Asking) -> Filter | None:
        given = options.get("filter")
        if given is None:
            return None
        filter_ = self._filters.read(given, asking.formats, ("options", "filter"))
        self._check(asking, filtered_attributes(filter_), "filter")
        return filter_

    def _condition(self, options: Given, asking: Asking) -> Filter | None:
        text = options.get(FILTER_EXP)
        if text is None or (self._skip_nulls and not text.strip()):
            return None
        condition = self._conditions.read(text, asking, ("options", FILTER_EXP))
        self._check(asking, filtered_attributes(condition), FILTER_EXP)
        return condition

    def _check(self, asking: Asking, names: Iterable[str], option: str) -> None:
        """Raise Refused for attributes by which who asks can find no objects."""
        if asking.access is not None:
            check_comparisons(asking.access, self._class, names, ("options", option))

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
            return cursor.decode(text, order, self._class)
        except cursor.BadCursor as mistake:
            raise self._refused(f"cursor: {mistake}", "cursor") from None

    def _from_values(self, values: Given, order: Order, formats: Formats) -> Position:
        """Return the position of values, which may be those of a whole object."""
        terms = [term.attribute for term in order.terms]
        leading = [*takewhile(values.__contains__, terms)]
        beyond_gap = [name for name in terms if name in values and name not in leading]
        if values and (beyond_gap or not leading):
            message = (
                f"fromCursor gives {_listed(values)}, but the order is by {_listed(terms)}: "
                "give the first of these, without a gap"
            )
            raise self._refused(message, "fromCursor")
        return Position(tuple(self._read(name, values[name], formats) for name in leading))

    def _read(self, name: str, given: Any, formats: Formats) -> Stored:
        try:
            return None if given is None else self._types[name].read(given, formats)
        except OutOfCalendar as beyond:
            return beyond.nearest
        except InvalidValue as mistake:
            raise Refused(
                [
                    self._subject.attribute_issue(
                        IssueType.DATA_TYPE,
                        f"{self._class.name}.{name}: {mistake}{_HINTS.get(name, '')}",
                        name,
                        path=("options", "fromCursor", name),
                    )
                ]
            ) from None

    def _count(self, options: Given, name: str, default: int, most: int | None = None) -> int:
        count = options.get(name)
        if count is None:
            return default
        if count < 0 or (most is not None and count > most):
            limit = "0 or more" if most is None else f"0 to {most}"
            raise self._refused(f"{name} is {count}: give {limit}", name)
        return int(count)

    def _refuse_both(self, options: Given, one: str, other: str) -> None:
        if options.get(one) is not None and options.get(other) is not None:
            raise self._refused(f"{one} and {other} exclude each other: give one of them", other)

    def _refused(self, message: str, name: str) -> Refused:
        text = f"{self._class.name}: {message}"
        issue: Issue = self._subject.issue(IssueType.MALFORMED_REQUEST, text, "options", name)
        return Refused([issue])


def _both(one: Filter | None, other: Filter | None) -> Filter | None:
    """Return the filter of what passes two, each of which may be missing."""
    if one is None or other is None:
        return other if one is None else one
    return And((one, other))


def _listed(names: Any) -> str:
    return ", ".join(names) or "nothing"
