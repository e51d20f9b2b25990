"""Read a filter in an API request to the domain's Filter."""

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
from stratabase.model.types.base import AttributeType
from stratabase.model.types.date import DateType
from stratabase.model.types.datetime import DatetimeType
from stratabase.model.types.operators import EXISTENCE_OPERATORS, MEMBERSHIP_OPERATORS, Operator
from stratabase.model.types.storage import Stored
from stratabase.schema.inputs.day_operands import (
    DayRange,
    compare_with_day,
    compare_with_days,
    read_day_or_instant,
)
from stratabase.schema.inputs.filter_type import FilterField, filter_fields

MAX_LEVELS = 100
_NULL_OPERANDS = frozenset({Operator.EQ, Operator.NE})
"""The operators that compare with null."""
_NULL_ACCEPTED = _NULL_OPERANDS | EXISTENCE_OPERATORS
"""The operators that are never left out because of a null operand."""
InputObject = Mapping[str, Any]
Path = tuple[str | int, ...]


class FilterReader:
    """Reads the filters of one class."""

    def __init__(self, class_: Class, *, skip_nulls: bool = False) -> None:
        """If `skip_nulls`, leave out conditions whose operand is null, as if their field were not written.

        That also leaves out a NOT, and an element of AND or OR, that has no condition. Otherwise null is a
        mistake: if a filter selects objects to delete, a condition that disappears would delete everything.
        """
        self._subject = Subject(class_)
        self._skip_nulls = skip_nulls

    @cached_property
    def _fields(self) -> Mapping[str, FilterField]:
        return dict(filter_fields(self._subject.class_))

    def read(self, input_object: InputObject, formats: Formats, path: Path) -> Filter:
        """Return the filter. A filter without conditions matches everything.

        `path` leads to it in the request. Raises Refused with all wrong operands, or because of its size.
        """
        excess = measure_filter(input_object, self._is_left_out).excess
        if excess:
            message = _("{class_name}: {message}", class_name=self._subject.class_.name, message=excess)
            raise Refused([self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path)])
        parser = _FilterParser(
            self._subject, self._fields, formats, self._is_left_out, skip_nulls=self._skip_nulls
        )
        filter_ = parser.parse_object(input_object, path)
        if parser.issues:
            raise Refused(parser.issues)
        return MATCH_ALL if filter_ is None else filter_

    def _is_left_out(self, name: str, value: Any) -> bool:
        """Return whether a field is ignored because its operand is null."""
        if value is not None or not self._skip_nulls:
            return False
        return name != CLIENT_ID_EQUALS and self._fields[name].operator not in _NULL_ACCEPTED


class _FilterParser:
    """Parses one filter, and collects its issues."""

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
            "AND": partial(self._parse_junction, and_),
            "OR": partial(self._parse_junction, or_),
            "NOT": self._parse_not,
        }

    def parse_object(self, input_object: InputObject, path: Path) -> Filter | None:
        """Return the filter of one input object, whose fields must all hold. None if it has no condition."""
        if _levels(path) > MAX_LEVELS:
            message = _(
                "The filter is nested too deeply. The maximum is {maximum} levels.", maximum=MAX_LEVELS
            )
            raise Refused([self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path[:3])])
        # Lists instead of nested iterators, so that each level of a deep filter uses little of the stack.
        parts = [self._parse_field(name, value, (*path, name)) for name, value in input_object.items()]
        conditions = [part for part in parts if part is not None]
        return and_(conditions) if conditions else None

    def _parse_junction(
        self, combine: Callable[[Sequence[Filter]], Filter], input_objects: list[InputObject], path: Path
    ) -> Filter | None:
        """Return the filter of AND or OR. None if all elements are left out."""
        parts = [self._parse_element(part, (*path, position)) for position, part in enumerate(input_objects)]
        conditions = [part for part in parts if part is not None]
        return None if input_objects and not conditions else combine(conditions)

    def _parse_not(self, input_object: InputObject, path: Path) -> Filter | None:
        part = self._parse_element(input_object, path)
        return None if part is None else not_(part)

    def _parse_element(self, input_object: InputObject, path: Path) -> Filter | None:
        """Return the filter of an element of AND, OR or NOT. None if it is left out."""
        filter_ = self.parse_object(input_object, path)
        return MATCH_ALL if filter_ is None and not self._skip_nulls else filter_

    def _parse_field(self, name: str, value: Any, path: Path) -> Filter | None:
        """Return the filter of one field. None if it is left out."""
        if value is None and (name in self._combinations or name == CLIENT_ID_EQUALS):
            self._note_null(name, path)
            return MATCH_ALL if name == CLIENT_ID_EQUALS else None
        if name in self._combinations:
            return self._combinations[name](value, path)
        if name == CLIENT_ID_EQUALS:
            return MATCH_NONE  # no stored object has one
        return None if self._is_left_out(name, value) else self._parse_comparison(name, value, path)

    def _note_null(self, name: str, path: Path) -> None:
        """Note an issue for a null that would match every object, unless nulls are skipped."""
        if not self._skip_nulls:
            message = _(
                "{field} is null, which would match every object. Remove the field.",
                field=f"{self._subject.class_.name}.{name}",
            )
            self.issues.append(self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path))

    def _parse_comparison(self, name: str, value: Any, path: Path) -> Filter:
        field = self._fields[name]
        attribute = field.attribute
        try:
            return self._compare(field, self._read_operand(field, value))
        except InvalidValue as mistake:
            message = _(
                "{attribute}: {message}",
                attribute=f"{self._subject.class_.name}.{name}",
                message=mistake.message,
            )
            # The issue refuses the request in the end, so the result of this comparison does not matter.
            issue_type = IssueType.MALFORMED_REQUEST if value is None else IssueType.DATA_TYPE
            self.issues.append(self._subject.attribute_issue(issue_type, message, attribute.name, path=path))
            return MATCH_NONE

    def _compare(self, field: FilterField, operand: Any) -> Filter:
        """Return the filter of a comparison with an operand, which may contain days."""
        attribute, operator = field
        if isinstance(operand, DayRange):
            return compare_with_day(attribute.name, operator, operand)
        if isinstance(operand, tuple) and any(isinstance(one, DayRange) for one in operand):
            return compare_with_days(attribute.name, operator, operand)
        return Comparison(attribute.name, operator, operand)

    def _read_operand(self, field: FilterField, value: Any) -> Any:
        """Return a stored value, a DayRange for a day where a Datetime belongs, or a tuple of these."""
        attribute, operator = field
        if value is None and operator in _NULL_OPERANDS:
            return None
        if value is None and operator in EXISTENCE_OPERATORS:
            raise InvalidValue(_("null is not allowed. Use true or false, or remove the field."))
        if value is None:
            message = _(
                "null is not allowed. Remove the field, or use {field}.",
                field=f"{filter_field(attribute.name, Operator.NULL)}: true",
            )
            raise InvalidValue(message)
        if operator in EXISTENCE_OPERATORS:
            return bool(value)
        if operator in MEMBERSHIP_OPERATORS:
            return tuple(None if one is None else self._read_value(attribute.type, one) for one in value)
        return self._read_value(attribute.type, value)

    def _read_value(self, type_: AttributeType, value: Any) -> Stored | DayRange:
        """Return the stored value of an operand, the field of it that is compared, or a day."""
        if isinstance(type_, DateType | DatetimeType):
            return read_day_or_instant(type_, value, self._formats)
        stored, field = type_.read(value, self._formats), type_.equality_field
        return stored[field] if field is not None and isinstance(stored, Mapping) else stored


def _levels(path: Path) -> int:
    """Return the nesting depth of a path. Positions in lists don't count."""
    return sum(isinstance(step, str) for step in path)


MAX_COMPARISONS = 500
MAX_MEMBERS = 10_000
"""In all lists of values together."""
_JUNCTIONS = frozenset({"AND", "OR", "NOT"})


class FilterSize(NamedTuple):
    """The size of a filter: the number of its comparisons, and of the values in its lists."""

    comparisons: int
    members: int

    @property
    def excess(self) -> Message | None:
        """The message if the filter is too large, else None."""
        if self.comparisons > MAX_COMPARISONS:
            return _(
                "The filter has {count} comparisons. The maximum is {maximum}. "
                'A comparison with "{operator}" counts as one, regardless of how many values it '
                "lists.",
                count=self.comparisons,
                maximum=MAX_COMPARISONS,
                operator=Operator.IN.value,
            )
        if self.members > MAX_MEMBERS:
            return _(
                "The filter lists {count} values. The maximum is {maximum}.",
                count=self.members,
                maximum=MAX_MEMBERS,
            )
        return None


def _never_left_out(name: str, value: Any) -> bool:
    del name, value
    return False


def measure_filter(
    input_object: Mapping[str, Any], is_left_out: Callable[[str, Any], bool] = _never_left_out
) -> FilterSize:
    """Return the size of a filter. Fields for which `is_left_out` returns True don't count."""
    comparisons = members = 0
    waiting = [input_object]
    while waiting:
        for name, value in waiting.pop().items():
            if name not in _JUNCTIONS:
                comparisons += not is_left_out(name, value)
                members += len(value) if isinstance(value, list) else 0
            elif value is not None:
                waiting += value if isinstance(value, list) else [value]
    return FilterSize(comparisons, members)
