"""Find the warnings of the model that a write would cause."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from stratabase.domain.issues.issue import Issue, IssueType, Level
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.write.affected import AffectedObject, affected_objects, changed_fields
from stratabase.domain.write.warning_rules import WarningRule
from stratabase.expressions.environment import Environment
from stratabase.messages import verbatim
from stratabase.model.dependencies import ClassField
from stratabase.operations.read.batched_reads import run
from stratabase.operations.read.derived_values import evaluate
from stratabase.operations.read.reader import Reader
from stratabase.operations.write.state_readers import StateReaders

_KNOWN_VALUES = frozenset(
    each
    for each in IssueType
    if each.name.startswith("ATTRIBUTE_") or each in {IssueType.ENTITY_UNIQUE, IssueType.ENTITY_DOMAIN}
)
"""Issues of values that are known all the same. After any other issue, the value is uncertain."""


class MetWarning(NamedTuple):
    """An object, and a warning whose condition holds for it."""

    affected: AffectedObject
    rule: WarningRule

    @property
    def issue(self) -> Issue:
        """The issue for the client."""
        subject, rule = self.affected.subject, self.rule.definition
        issue = subject.issue(IssueType.ENTITY_DOMAIN, verbatim(rule.message), *subject.path)
        return replace(issue, level=Level.ERROR if rule.blocking else Level.WARNING)

    def is_doubtful(self, issues: Iterable[Issue]) -> bool:
        """Return whether other issues make values uncertain that the condition depends on."""
        return any(self._doubts(issue) for issue in issues if issue.type not in _KNOWN_VALUES)

    def _doubts(self, issue: Issue) -> bool:
        names = {*issue.attribute_names, *issue.role_names}
        if self.rule.sources.isdisjoint((issue.entity_name, name) for name in names):
            return False
        # If the condition follows roles, the issue may be on any object. Otherwise, it must be on this one.
        path, at = self.affected.subject.path, len(self.affected.subject.path)
        return self.rule.follows_roles or (
            issue.path[:at] == path and not names.isdisjoint(issue.path[at : at + 1])
        )


def met_warnings(readers: StateReaders) -> list[MetWarning]:
    """Return the warnings that hold, in the order of the request and then of the model.

    New and changed objects get all warnings whose conditions hold. Objects that stay the same, but that the
    request names or whose links change, get only warnings that depend on something that changes. Raises
    ReadBudgetExceeded.
    """
    asked = [*_asked(readers)]
    return _holding(readers.projected(), asked) if asked else []


def _asked(readers: StateReaders) -> Iterator[MetWarning]:
    """Yield the warnings whose conditions need a reader, or are known to hold."""
    plan, rules = readers.plan, readers.services.warning_rules
    changed: frozenset[ClassField] | None = None
    for one in affected_objects(plan):
        for rule in rules.of(one.reference.class_name):
            if one.written:
                # Most objects meet no warning, and most rules can tell that without a reader.
                is_asked = not rule.is_plain or _holds(rule, one, readers)
            else:
                changed = changed_fields(plan) if changed is None else changed
                is_asked = not rule.sources.isdisjoint(changed)
            if is_asked:
                yield MetWarning(one, rule)


def _holds(rule: WarningRule, one: AffectedObject, readers: StateReaders) -> bool:
    """Return whether the condition of a plain rule holds for an object that is written."""
    after = readers.plan.index.objects[one.reference].after
    return after is not None and rule.condition.holds(Environment(after.state, readers.evaluation))


def _holding(reader: Reader, asked: Sequence[MetWarning]) -> list[MetWarning]:
    """Return the warnings whose conditions hold. All objects are evaluated together."""
    run(reader.load_with_wholes(warning.affected.reference for warning in asked))
    there: dict[WarningRule, dict[Reference, Entity]] = defaultdict(dict)
    for warning in asked:
        reference = warning.affected.reference
        entity = reader.find(reference)
        if entity is not None:
            there[warning.rule][reference] = entity
    values = _values(reader, there)
    return [warning for warning in asked if values.get((warning.rule, warning.affected.reference)) is True]


def _values(reader: Reader, there: Mapping[WarningRule, Mapping[Reference, Entity]]) -> Mapping[Any, Any]:
    """Return, by rule and object, the value of the condition."""
    asked = {rule: (rule.class_name, [rule.condition], [*found.values()]) for rule, found in there.items()}
    values = run(evaluate(reader, asked))
    return {
        (rule, reference): value
        for rule, rows in values.items()
        for reference, (value,) in zip(there[rule], rows, strict=True)
    }
