"""Find the warnings of the model that a write would cause."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from stratabase.core.domain.issues.issue import Issue, IssueType, Level, Subject
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.write.plan import AffectedObject, WritePlan, affected_objects, changed_fields
from stratabase.core.domain.write.request import WriteRequest
from stratabase.core.domain.write.warning_rules import WarningRule
from stratabase.core.model.dependencies import ClassField
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.derived_values import evaluate
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.claims import NO_CLAIMS, Claims, find_claims
from stratabase.core.operations.write.load import CallerVisibility, StateReaders
from stratabase.values.cel.environment import Environment
from stratabase.values.messages import verbatim

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
    is_caused: bool = False
    """Whether the write, which does not write the object, must have caused this to be reported."""
    names_class: bool = True
    """Whether the caller may learn the class of the object."""

    @property
    def key(self) -> tuple[WarningRule, Reference]:
        """The rule and the object."""
        return self.rule, self.affected.reference

    @property
    def issue(self) -> Issue:
        """The issue for the client."""
        subject, rule = self.affected.subject, self.rule.definition
        issue = subject.issue(IssueType.ENTITY_DOMAIN, verbatim(rule.message), *subject.path)
        issue = issue if self.names_class else replace(issue, entity_name=None)
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


def claims_and_warnings(
    readers: StateReaders, visibility: CallerVisibility | None = None, *, force: bool
) -> tuple[Claims, list[MetWarning]]:
    """Return what the commit of a plan must claim, and the warnings that stop it: if `force`, blocking ones.

    Raises TooManyClaims, ReadBudgetExceeded. For `visibility`, see `met_warnings`.
    """
    claims = find_claims(readers) if readers.services.warning_rules.kept else NO_CLAIMS
    met = met_warnings(readers, claims, visibility)
    return claims, [each for each in met if each.rule.definition.blocking or not force]


def met_warnings(
    readers: StateReaders, claims: Claims = NO_CLAIMS, visibility: CallerVisibility | None = None
) -> list[MetWarning]:
    """Return the warnings that hold, in the order of the request and then of the model.

    New and changed objects get all warnings whose conditions hold. Objects that stay the same, but that the
    request names or whose links change, get only warnings that depend on something that changes. Objects of
    `claims` get the rules there, if their conditions did not hold before. Without `visibility`, the caller
    sees every object. Raises ReadBudgetExceeded.
    """
    asked = [*_asked(readers, claims)]
    if not asked:
        return []
    # What is not claimed may have changed since the plan was made, so it is read again after the claims.
    reader = readers.projected_from(claims.entities) if claims.claimed else readers.projected()
    met = _holding(reader, asked)
    caused = [warning for warning in met if warning.is_caused]
    if caused:
        before = {warning.key for warning in _holding(readers.present(), caused)}
        met = [warning for warning in met if not (warning.is_caused and warning.key in before)]
    return met if visibility is None else _identified(met, readers.plan, visibility)


def _asked(readers: StateReaders, claims: Claims) -> Iterator[MetWarning]:
    """Yield the warnings whose conditions need a reader, or are known to hold."""
    plan, rules = readers.plan, readers.services.warning_rules
    changed: frozenset[ClassField] | None = None
    found: set[tuple[WarningRule, Reference]] = set()
    for one in affected_objects(plan):
        for rule in rules.of(one.reference.class_name):
            if one.written:
                # Most objects meet no warning, and most rules can tell that without a reader.
                if not rule.is_plain or _holds(rule, one, readers):
                    yield MetWarning(one, rule)
            elif rule.is_kept:
                if (rule, one.reference) in claims.rules:
                    found.add((rule, one.reference))
                    yield MetWarning(one, rule, is_caused=True)
            else:
                changed = changed_fields(plan) if changed is None else changed
                if not rule.sources.isdisjoint(changed):
                    yield MetWarning(one, rule)
    for (rule, reference), path in claims.rules.items():
        if (rule, reference) not in found:
            subject = Subject(readers.services.class_(reference.class_name), path=path)
            yield MetWarning(AffectedObject(subject, reference, written=False), rule, is_caused=True)


def _identified(met: Sequence[MetWarning], plan: WritePlan, visibility: CallerVisibility) -> list[MetWarning]:
    """Return warnings that name the objects that the write does not write, if the caller sees them."""
    wanted = [warning.affected.reference for warning in met if warning.is_caused]
    if not wanted:
        return [*met]
    there = [each for each in visibility.services.entities.read(wanted) if each is not None]
    seen = dict(
        zip(
            (each.reference for each in there),
            visibility.sees(plan.instant, there, ()),
            strict=True,
        )
    )
    return [_named(each, plan.request, seen) if each.is_caused else each for each in met]


def _named(warning: MetWarning, request: WriteRequest, seen: Mapping[Reference, bool]) -> MetWarning:
    reference, access = warning.affected.reference, request.context.access
    is_named = seen.get(reference, False) or request.may_identify(reference)
    subject = replace(warning.affected.subject, id=reference.id if is_named else None)
    return warning._replace(
        affected=warning.affected._replace(subject=subject),
        names_class=is_named or access is None or access.may_read_class(reference.class_name),
    )


def _holds(rule: WarningRule, one: AffectedObject, readers: StateReaders) -> bool:
    """Return whether the condition of a plain rule holds for an object that is written."""
    after = readers.plan.index.objects[one.reference].after
    return after is not None and rule.condition.holds(Environment(after.state, readers.evaluation))


def _holding(reader: Reader, asked: Sequence[MetWarning]) -> list[MetWarning]:
    """Return the warnings whose conditions hold. All objects are evaluated together.

    Raises ReadBudgetExceeded.
    """
    run(reader.load_with_wholes(warning.affected.reference for warning in asked))
    there: dict[WarningRule, dict[Reference, Entity]] = defaultdict(dict)
    for warning in asked:
        reference = warning.affected.reference
        entity = reader.find(reference)
        if entity is not None:
            there[warning.rule][reference] = entity
    values = _values(reader, there)
    return [warning for warning in asked if values.get(warning.key) is True]


def _values(reader: Reader, there: Mapping[WarningRule, Mapping[Reference, Entity]]) -> Mapping[Any, Any]:
    """Return, by rule and object, the value of the condition."""
    asked = {rule: (rule.class_name, [rule.condition], [*found.values()]) for rule, found in there.items()}
    values = run(evaluate(reader, asked))
    return {
        (rule, reference): value
        for rule, rows in values.items()
        for reference, (value,) in zip(there[rule], rows, strict=True)
    }
