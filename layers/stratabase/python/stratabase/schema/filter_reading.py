"""From a filter as a client gives it to the domain's Filter."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from stratabase.domain.filter import Comparison, Filter
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.junction import EVERYTHING, NOTHING, every, none, some
from stratabase.domain.refusal import Refused
from stratabase.domain.subject import Subject
from stratabase.model.attribute import Stored
from stratabase.model.class_ import Class
from stratabase.model.formats import Formats
from stratabase.model.operator import EXISTENCE, MEMBERSHIP, Operator
from stratabase.model.types.base import Malformed
from stratabase.schema.filter_size import size_of
from stratabase.schema.filters import FilterField, filter_fields
from stratabase.schema.names import CLIENT_ID_EQUALS

MOST_LEVELS = 100
_NULL_OPERANDS = frozenset({Operator.EQ, Operator.NE})

Given = Mapping[str, Any]
Path = tuple[str | int, ...]


class FilterReader:
    """Reads the filters of one class."""

    def __init__(self, class_: Class) -> None:
        self._subject = Subject(class_)

    @cached_property
    def _fields(self) -> Mapping[str, FilterField]:
        return dict(filter_fields(self._subject.class_))

    def read(self, given: Given, formats: Formats, path: Path) -> Filter:
        """Return the filter. Raises Refused with every operand that is wrong, or for its size."""
        excess = size_of(given).excess
        if excess:
            message = f"{self._subject.class_.name}: {excess}"
            raise Refused([self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path)])
        reading = _Reading(self._subject, self._fields, formats)
        filter_ = reading.all_of(given, path)
        if reading.issues:
            raise Refused(reading.issues)
        return filter_


class _Reading:
    """One filter on its way, and what is wrong with it."""

    def __init__(self, subject: Subject, fields: Mapping[str, FilterField], formats: Formats) -> None:
        self.issues: list[Issue] = []
        self._subject = subject
        self._fields = fields
        self._formats = formats
        self._combinations: Mapping[str, Callable[[Any, Path], Filter]] = {
            "AND": lambda given, path: every([*self._each(given, path)]),
            "OR": lambda given, path: some([*self._each(given, path)]),
            "NOT": lambda given, path: none(self.all_of(given, path)),
        }

    def all_of(self, given: Given, path: Path) -> Filter:
        """Return the filter of one object: all its fields hold."""
        if _levels(path) > MOST_LEVELS:
            message = f"the filter is nested too deeply: at most {MOST_LEVELS} levels"
            raise Refused([self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path[:3])])
        # Lists, and no iterators that are gone through below others: a level must take little of the stack.
        return every([self._part(name, value, (*path, name)) for name, value in given.items()])

    def _each(self, given: list[Given], path: Path) -> Iterator[Filter]:
        for position, part in enumerate(given):
            yield self.all_of(part, (*path, position))

    def _part(self, name: str, given: Any, path: Path) -> Filter:
        combine = self._combinations.get(name)
        if combine is not None:
            return EVERYTHING if given is None else combine(given, path)
        if name == CLIENT_ID_EQUALS:
            return EVERYTHING if given is None else NOTHING
        return self._comparison(name, given, path)

    def _comparison(self, name: str, given: Any, path: Path) -> Filter:
        attribute, operator = field = self._fields[name]
        try:
            return Comparison(attribute.name, operator, self._operand(field, given))
        except Malformed as mistake:
            message = f"{self._subject.class_.name}.{name}: {mistake}"
            issue_type = IssueType.MALFORMED_REQUEST if given is None else IssueType.DATA_TYPE
            self.issues.append(self._subject.attribute_issue(issue_type, message, attribute.name, path=path))
            return NOTHING

    def _operand(self, field: FilterField, given: Any) -> Stored | tuple[Stored, ...]:
        attribute, operator = field
        if given is None and operator in _NULL_OPERANDS:
            return None
        if given is None:
            raise Malformed("null is nothing to compare with; leave the field out, or filter by null: true")
        if operator in EXISTENCE:
            return bool(given)
        if operator in MEMBERSHIP:
            return tuple(None if one is None else attribute.type.read(one, self._formats) for one in given)
        return attribute.type.read(given, self._formats)


def _levels(path: Path) -> int:
    """Return how deep a path leads into filters; a place in a list is no level of its own."""
    return sum(isinstance(step, str) for step in path)
