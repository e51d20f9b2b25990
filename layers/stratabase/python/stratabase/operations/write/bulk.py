"""Do the same with each object that a query finds: each by itself, and all in a limited time."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from stratabase import waiting
from stratabase.domain.access.grants import access_of
from stratabase.domain.issues.issue import Issue, IssueType, Path, ReferenceType
from stratabase.domain.issues.refusals import Refused, TooMuchRead, Unavailable
from stratabase.domain.members.member import Caller
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.query.derived import derived_attributes
from stratabase.domain.query.filter import And
from stratabase.domain.query.matching import matcher
from stratabase.domain.query.order import Order
from stratabase.domain.query.page import PageFields, Query
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.domain.write.commands import Command, Delete, UpdateBulk
from stratabase.expressions.environment import EvaluationContext
from stratabase.operations.context import RequestContext
from stratabase.operations.read.loading import run
from stratabase.operations.read.reader import Reader
from stratabase.operations.services import Services
from stratabase.operations.write.bulk_issues import FirstIssues
from stratabase.operations.write.options import WriteOptions
from stratabase.operations.write.outcome import WriteOutcome, WriteResult
from stratabase.operations.write.pipeline import NotSelected, Selects, Write
from stratabase.wording import pluralize, was_or_were

T = TypeVar("T")


OPTIONS: Path = ("options",)
"""Where a request says which objects are meant."""


def matching_references(
    world: Services, query: Query, allowance: ReadBudget, circumstances: EvaluationContext
) -> list[Reference]:
    """Return the objects of a query's page.

    Raises Refused when it has more than a bulk service may be for, TooMuchRead.
    """
    most = world.bulk.objects
    window = replace(query.window, size=min(query.window.size, most + 1))
    reader = Reader(RequestContext(world.model, world.entities, allowance, circumstances))
    page = reader.page(replace(query, window=window))
    if len(page.items) > most:
        number = _counted(reader, query, most)
        text = f"{number} {query.class_name} objects match, and at most {most:,} can be done with at once"
        text = f"{text}: narrow the filter, or ask for fewer with next"
        raise Refused([issue_about_all(IssueType.MALFORMED_REQUEST, query.class_name, text)])
    return [entity.reference for entity in page.items]


def check_allowed(world: Services, command: Command, caller: Caller) -> None:
    """Raise Refused for a command, on any object, that is allowed with none."""
    issues = Write(world, command, caller).forbidden_issues()
    if issues:
        raise Refused(replace(issue, entity_id=None) for issue in issues)


def selector(world: Services, query: Query, circumstances: EvaluationContext) -> Selects:
    """Return which objects a query means, as they are by then; all that are seen where it has no filter."""
    class_ = world.class_(query.class_name)
    matches = matcher(query.filter or And(()), class_)
    names = derived_attributes(replace(query, order=Order()), class_)
    if not names and access_of(world.model, circumstances.caller_field("profile")) is None:
        return lambda entity: matches(entity.state)

    def is_meant(entity: Entity) -> bool:
        reader = Reader(RequestContext(world.model, world.entities, world.new_budget(), circumstances))
        visible = [each for each in run(reader.admit([entity])) if each is not None]
        return any(matches(whole.state) for whole in run(reader.with_derived(class_.name, visible, names)))

    return is_meant


def _counted(reader: Reader, query: Query, least: int) -> str:
    """Return how many objects match, as a message tells it."""
    try:
        wanted = PageFields(items=False, total_count=True)
        return f"{reader.page(replace(query, fields=wanted)).total_count:,}"
    except TooMuchRead:
        return f"more than {least:,}"


class BulkRun(Generic[T]):
    """Some objects, and what comes of each; `done`: what happens to them, in the past tense.

    `given`: the attributes and roles that all of them are to get.
    """

    def __init__(
        self,
        world: Services,
        class_name: str,
        references: Sequence[Reference],
        done: str,
        given: Collection[str] = (),
    ) -> None:
        self._clock = world.clock
        self._end = world.clock.now() + 1000 * world.bulk.seconds
        self._class_name = class_name
        self._references = references
        self._done = done
        self._results: list[T] = []
        self._issues = FirstIssues(given)

    def each(self, act: Callable[[Reference], T]) -> list[T]:
        """Return what `act` returns of each object, but for those of which it raises NotMeant.

        An object that it refuses keeps nothing from the others: Refused is raised in the end. Raises Refused
        too when the time is over, and Unavailable.
        """
        for reference in self._references:
            if self._clock.now() > self._end:
                raise self._refusal(f"the time is over, when {self._so_far()}; ask again to go on")
            waiting.give_way()
            self._try(act, reference)
        if self._issues.count:
            raise self._refusal(f"{self._so_far()}; what kept the others from it follows")
        return self._results

    def _try(self, act: Callable[[Reference], T], reference: Reference) -> None:
        try:
            self._results.append(act(reference))
        except NotSelected:
            pass
        except Refused as refusal:
            self._issues.add([_on(reference, issue) for issue in refusal.issues])
        except TooMuchRead as refusal:  # for this object alone, which has an allowance of its own
            issue = issue_about_all(IssueType.MALFORMED_REQUEST, self._class_name, str(refusal))
            self._issues.add([replace(issue, entity_id=reference.id)])
        except Unavailable as trouble:
            raise Unavailable(f"{self._so_far()}, then: {trouble}", trouble.retry_after) from trouble

    def _so_far(self) -> str:
        total = len(self._references)
        objects = pluralize(total, f"{self._class_name} object")
        return f"{len(self._results):,} of {objects} {was_or_were(total)} {self._done}"

    def _refusal(self, text: str) -> Refused:
        text = f"{text}; {self._issues}" if self._issues.is_cut else text
        return Refused(
            [issue_about_all(IssueType.SERVICE_HANDLER_ERROR, self._class_name, text), *self._issues.issues]
        )


def _on(reference: Reference, issue: Issue) -> Issue:
    """Return an issue that tells which of the objects it keeps from it, if another is locked."""
    if issue.type is not IssueType.ENTITY_LOCK_PERSIST or (issue.entity_name, issue.entity_id) == reference:
        return issue
    return replace(issue, message=f"{reference.class_name} {reference.id}: {issue.message}")


def issue_about_all(type_: IssueType, class_name: str, text: str) -> Issue:
    """Return an issue about all objects together."""
    return Issue(type_, text, reference_type=ReferenceType.ENTITY, entity_name=class_name, path=OPTIONS)


def update_bulk(  # noqa: PLR0913, PLR0917 - what for, and how much may be read
    world: Services,
    command: UpdateBulk,
    query: Query,
    caller: Caller,
    allowance: ReadBudget,
    circumstances: EvaluationContext,
    *,
    force: bool = False,
) -> list[WriteResult]:
    """Return the objects as they are now; one that matches no more when its turn comes is left alone.

    `force`: in spite of warnings. Raises what `Bulk` raises.
    """
    selects, options = selector(world, query, circumstances), WriteOptions(force, circumstances)

    def update(reference: Reference) -> WriteResult:
        return (
            Write(world, command.for_object(reference), caller, options=options, selects=selects)
            .commit()
            .result()
        )

    check_allowed(world, command.for_object(Reference(query.class_name, "")), caller)
    references = matching_references(world, query, allowance, circumstances)
    given = {*command.values, *command.roles}
    return BulkRun[WriteResult](world, query.class_name, references, "updated", given).each(update)


def delete_bulk(
    world: Services, query: Query, caller: Caller, allowance: ReadBudget, circumstances: EvaluationContext
) -> int:
    """Return how many objects were deleted; one that matches no more when its turn comes is left alone.

    Raises what `Bulk` raises.
    """
    selects = selector(world, query, circumstances)

    def delete(reference: Reference) -> WriteOutcome:
        return Write(world, Delete(reference, OPTIONS), caller, selects=selects).commit()

    check_allowed(world, Delete(Reference(query.class_name, ""), OPTIONS), caller)
    references = matching_references(world, query, allowance, circumstances)
    return len(BulkRun[WriteOutcome](world, query.class_name, references, "deleted").each(delete))


def validate_bulk(  # noqa: PLR0913, PLR0917 - what for, and how much may be read
    world: Services,
    command: UpdateBulk | None,
    query: Query,
    caller: Caller,
    allowance: ReadBudget,
    circumstances: EvaluationContext,
) -> Sequence[Issue]:
    """Return why objects would be refused, and why all would be; without a command they are to be deleted.

    Then come the reports that stop no write, as with `validate`. Raises TooMuchRead, Unavailable.
    """
    selects, options = selector(world, query, circumstances), WriteOptions(circumstances=circumstances)

    def asked(reference: Reference) -> Command:
        return Delete(reference, OPTIONS) if command is None else command.for_object(reference)

    issues = FirstIssues() if command is None else FirstIssues({*command.values, *command.roles})
    reports = FirstIssues()

    def validate(reference: Reference) -> None:
        write = Write(world, asked(reference), caller, options=options, selects=selects, validates=True)
        outcome = write.dry_run()
        issues.add(outcome.issues)
        reports.add(outcome.reports)

    try:
        check_allowed(world, asked(Reference(query.class_name, "")), caller)
        references = matching_references(world, query, allowance, circumstances)
        BulkRun[None](world, query.class_name, references, "looked at").each(validate)
    except Refused as refusal:
        return refusal.issues
    told = [*issues.issues, *reports.issues]
    if issues.is_cut:
        told.append(issue_about_all(IssueType.SERVICE_HANDLER_ERROR, query.class_name, str(issues)))
    if reports.is_cut:
        told.append(
            issue_about_all(IssueType.SERVICE_HANDLER_ERROR, query.class_name, str(reports)).as_report()
        )
    return told
