"""From a filter as a client gives it to the domain's Filter."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

from stratabase.domain.issues.issue import Issue, IssueType, Subject
from stratabase.domain.issues.refusals import Refused
from stratabase.domain.query.filter import MATCH_ALL, MATCH_NONE, Comparison, Filter, and_, not_, or_
from stratabase.formats.invalid_value import InvalidValue
from stratabase.formats.preferences import Formats
from stratabase.messages import Message, _
from stratabase.model.api_names import CLIENT_ID_EQUALS, filter_field
from stratabase.model.model import Class
from stratabase.model.types.operators import EXISTENCE_OPERATORS, MEMBERSHIP_OPERATORS, Operator
from stratabase.model.types.storage import Stored
from stratabase.schema.inputs.filter_type import FilterField, filter_fields

MOST_LEVELS = 100


_NULL_OPERANDS = frozenset({Operator.EQ, Operator.NE})
"""The operators for which null is a value like any other."""


_TAKING_NULL = _NULL_OPERANDS | EXISTENCE_OPERATORS
"""The operators of which a null operand is never left out."""


Given = Mapping[str, Any]


Path = tuple[str | int, ...]


class FilterReader:
    """Reads the filters of one class."""

    def __init__(self, class_: Class, *, skip_nulls: bool = False) -> None:
        """`skip_nulls`: leave out a condition whose operand is null, as if its field were not written.

        An element of AND or OR, and a NOT, that has no condition is left out too. Otherwise null is a
        mistake: where a filter says what to delete, a condition that disappears would delete everything.
        """
        self._subject = Subject(class_)
        self._skip_nulls = skip_nulls

    @cached_property
    def _fields(self) -> Mapping[str, FilterField]:
        return dict(filter_fields(self._subject.class_))

    def read(self, given: Given, formats: Formats, path: Path) -> Filter:
        """Return the filter; one without a condition matches everything.

        Raises Refused with every operand that is wrong, or for its size.
        """
        excess = measure_filter(given, self._is_left_out).excess
        if excess:
            message = _("{class_name}: {message}", class_name=self._subject.class_.name, message=excess)
            raise Refused([self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path)])
        reading = _FilterParser(
            self._subject, self._fields, formats, self._is_left_out, skip_nulls=self._skip_nulls
        )
        filter_ = reading.parse_object(given, path)
        if reading.issues:
            raise Refused(reading.issues)
        return MATCH_ALL if filter_ is None else filter_

    def _is_left_out(self, name: str, given: Any) -> bool:
        """Return whether a field is read as if it were not written."""
        if given is not None or not self._skip_nulls:
            return False
        return name != CLIENT_ID_EQUALS and self._fields[name].operator not in _TAKING_NULL


class _FilterParser:
    """One filter on its way, and what is wrong with it."""

    def __init__(
        self,
        subject: Subject,
        fields: Mapping[str, FilterField],
        formats: Formats,
        is_left_out: Callable[[str, Any], bool],
        *,
        skip_nulls: bool,
    ) -> None:
        self.issues: list[Issue] = []
        self._subject = subject
        self._fields = fields
        self._formats = formats
        self._is_left_out = is_left_out
        self._skip_nulls = skip_nulls
        self._combinations: Mapping[str, Callable[[Any, Path], Filter | None]] = {
            "AND": partial(self._combined, and_),
            "OR": partial(self._combined, or_),
            "NOT": self._negated,
        }

    def parse_object(self, given: Given, path: Path) -> Filter | None:
        """Return the filter of one object: all its fields hold. None where it has no condition."""
        if _levels(path) > MOST_LEVELS:
            message = _(
                "The filter is nested too deeply. The maximum is {maximum} levels.", maximum=MOST_LEVELS
            )
            raise Refused([self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path[:3])])
        # Lists, and no iterators that are gone through below others: a level must take little of the stack.
        parts = [self._part(name, value, (*path, name)) for name, value in given.items()]
        conditions = [part for part in parts if part is not None]
        return and_(conditions) if conditions else None

    def _combined(
        self, combine: Callable[[Sequence[Filter]], Filter], given: list[Given], path: Path
    ) -> Filter | None:
        """Return the filter of AND or OR; None where all its elements are left out."""
        parts = [self._element(part, (*path, position)) for position, part in enumerate(given)]
        conditions = [part for part in parts if part is not None]
        return None if given and not conditions else combine(conditions)

    def _negated(self, given: Given, path: Path) -> Filter | None:
        part = self._element(given, path)
        return None if part is None else not_(part)

    def _element(self, given: Given, path: Path) -> Filter | None:
        """Return the filter of an object that AND, OR or NOT takes; None where it is left out."""
        filter_ = self.parse_object(given, path)
        return MATCH_ALL if filter_ is None and not self._skip_nulls else filter_

    def _part(self, name: str, given: Any, path: Path) -> Filter | None:
        """Return the filter of one field; None where it is left out."""
        if given is None and (name in self._combinations or name == CLIENT_ID_EQUALS):
            self._note_null(name, path)
            return MATCH_ALL if name == CLIENT_ID_EQUALS else None
        if name in self._combinations:
            return self._combinations[name](given, path)
        if name == CLIENT_ID_EQUALS:
            return MATCH_NONE  # no stored object has one
        return None if self._is_left_out(name, given) else self._comparison(name, given, path)

    def _note_null(self, name: str, path: Path) -> None:
        """Note a null that matches every object, where that is a mistake."""
        if not self._skip_nulls:
            message = _(
                "{field} is null, which would match every object. Remove the field.",
                field=f"{self._subject.class_.name}.{name}",
            )
            self.issues.append(self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path))

    def _comparison(self, name: str, given: Any, path: Path) -> Filter:
        attribute, operator = field = self._fields[name]
        try:
            return Comparison(attribute.name, operator, self._operand(field, given))
        except InvalidValue as mistake:
            message = _(
                "{attribute}: {message}",
                attribute=f"{self._subject.class_.name}.{name}",
                message=mistake.message,
            )
            issue_type = IssueType.MALFORMED_REQUEST if given is None else IssueType.DATA_TYPE
            self.issues.append(self._subject.attribute_issue(issue_type, message, attribute.name, path=path))
            return MATCH_NONE

    def _operand(self, field: FilterField, given: Any) -> Stored | tuple[Stored, ...]:
        attribute, operator = field
        if given is None and operator in _NULL_OPERANDS:
            return None
        if given is None and operator in EXISTENCE_OPERATORS:
            raise InvalidValue(_("null is not allowed. Use true or false, or remove the field."))
        if given is None:
            message = _(
                "null is not allowed. Remove the field, or use {field}.",
                field=f"{filter_field(attribute.name, Operator.NULL)}: true",
            )
            raise InvalidValue(message)
        if operator in EXISTENCE_OPERATORS:
            return bool(given)
        if operator in MEMBERSHIP_OPERATORS:
            return tuple(None if one is None else attribute.type.read(one, self._formats) for one in given)
        return attribute.type.read(given, self._formats)


def _levels(path: Path) -> int:
    """Return how deep a path leads into filters; a place in a list is no level of its own."""
    return sum(isinstance(step, str) for step in path)


MOST_COMPARISONS = 500


MOST_MEMBERS = 10_000
"""Of all lists of values together."""


_JUNCTIONS = frozenset({"AND", "OR", "NOT"})


class FilterSize(NamedTuple):
    """How many comparisons a filter makes, and with how many values in lists."""

    comparisons: int
    members: int

    @property
    def excess(self) -> Message | None:
        """What is too much; None for nothing."""
        if self.comparisons > MOST_COMPARISONS:
            return _(
                "The filter has {count} comparisons. The maximum is {maximum}. "
                'A comparison with "{operator}" counts as one, regardless of how many values it '
                "lists.",
                count=self.comparisons,
                maximum=MOST_COMPARISONS,
                operator=Operator.IN.value,
            )
        if self.members > MOST_MEMBERS:
            return _(
                "The filter lists {count} values. The maximum is {maximum}.",
                count=self.members,
                maximum=MOST_MEMBERS,
            )
        return None


def _nothing(name: str, given: Any) -> bool:
    del name, given
    return False


def measure_filter(
    given: Mapping[str, Any], is_left_out: Callable[[str, Any], bool] = _nothing
) -> FilterSize:
    """Return the size of a filter as a client gives it; `is_left_out` tells of fields that do not count."""
    comparisons = members = 0
    waiting = [given]
    while waiting:
        for name, value in waiting.pop().items():
            if name not in _JUNCTIONS:
                comparisons += not is_left_out(name, value)
                members += len(value) if isinstance(value, list) else 0
            elif value is not None:
                waiting += value if isinstance(value, list) else [value]
    return FilterSize(comparisons, members)
