"""Write each object that a query finds. Each object is a write of its own, and all share a time limit."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from stratabase.core import waiting
from stratabase.core.domain.access.grants import access_of
from stratabase.core.domain.access.visibility import readable_refusal
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue, IssueType, Path, ReferenceType
from stratabase.core.domain.issues.refusals import ReadBudgetExceeded, Refused, Unfinished
from stratabase.core.domain.objects.commit_refusals import AlreadyRecorded
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.derived import computed_parts
from stratabase.core.domain.query.filter import And
from stratabase.core.domain.query.matching import matcher
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import PageFields, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.domain.write.commands import Command, Create, Delete, Update, UpdateBulk, placed_commands
from stratabase.core.operations.context import ReadContext, Services
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.bulk_issues import FirstIssues
from stratabase.core.operations.write.options import (
    NO_OPTIONS,
    BulkRecorder,
    WriteOptions,
    WriteOutcome,
    WriteResult,
)
from stratabase.core.operations.write.pipeline import NoLongerMatches, Selects, Write
from stratabase.values.cel.environment import EvaluationContext
from stratabase.values.messages import Message, _, ngettext, sentences

T = TypeVar("T")
OPTIONS: Path = ("options",)
"""The path of the argument that selects the objects."""


def matching_references(
    services: Services, query: Query, budget: ReadBudget, evaluation: EvaluationContext
) -> list[Reference]:
    """Return the objects of a query's page.

    Raises ReadBudgetExceeded. Raises Refused if there are more than one bulk service may write.
    """
    most = services.bulk.objects
    # One object more than the maximum shows that there are too many, without reading all of them.
    window = replace(query.window, size=min(query.window.size, most + 1))
    reader = Reader(ReadContext(services.model, services.entities, budget, evaluation))
    page = reader.page(replace(query, window=window))
    if len(page.items) > most:
        message = _too_many_message(reader, query, most)
        raise Refused([issue_about_all(IssueType.MALFORMED_REQUEST, query.class_name, message)])
    return [entity.reference for entity in page.items]


def check_allowed(services: Services, command: Command, caller: Caller) -> None:
    """Raise Refused if the caller may not do this with any object of the class. Nothing is read."""
    issues = Write(services, command, caller).forbidden_issues()
    if issues:
        raise Refused(replace(issue, entity_id=None) for issue in issues)


def check_single_use(services: Services, command: UpdateBulk, references: Sequence[Reference]) -> None:
    """Raise Refused if a command gives a pending file to several objects. Only one object can take it."""
    number = len(references)
    if number < 2:
        return
    issues = [
        _shared_file_issue(f"{class_name}.{name}", class_name, name, number)
        for placed in placed_commands(command.for_object(references[0]))
        for class_name in [_class_name(placed.command)]
        for name, value in placed.command.values.items()
        if value is not None and services.class_(class_name).attributes[name].type.holds_file
    ]
    if issues:
        raise Refused(issues)


def _class_name(command: Create | Update) -> str:
    return command.class_name if isinstance(command, Create) else command.reference.class_name


def _shared_file_issue(attribute: str, class_name: str, name: str, number: int) -> Issue:
    message = _(
        "{attribute}: {number} objects match, but only one object can take a pending file. "
        "Narrow the filter, or upload the file for each object.",
        attribute=attribute,
        number=number,
    )
    issue = issue_about_all(IssueType.MALFORMED_REQUEST, class_name, message)
    return replace(issue, attribute_names=(name,))


def match_predicate(services: Services, query: Query, evaluation: EvaluationContext) -> Selects:
    """Return a predicate for the objects that a query matches, in their state when their turn comes.

    Without a filter, it matches all objects that the caller sees.
    """
    class_ = services.class_(query.class_name)
    matches = matcher(query.filter or And(()), class_, services.new_budget().compare)
    # The order is irrelevant for a single object, so its derived attributes are not computed.
    computed = computed_parts(replace(query, order=Order()), class_)
    if not computed and access_of(services.model, evaluation.caller_field("profile")) is None:
        return lambda entity: matches(entity.state)

    def is_meant(entity: Entity) -> bool:
        # Each object has its own budget, because only time limits the run as a whole.
        reader = Reader(ReadContext(services.model, services.entities, services.new_budget(), evaluation))
        visible = [each for each in run(reader.add_visible([entity])) if each is not None]
        return any(matches(each.state) for each in run(reader.with_computed(class_.name, visible, computed)))

    return is_meant


def _too_many_message(reader: Reader, query: Query, most: int) -> Message:
    """Return the message for too many matches, with their number if it can be counted."""
    try:
        number = reader.page(replace(query, fields=PageFields(items=False, total_count=True))).total_count
    except ReadBudgetExceeded:
        number = None
    if number is None:
        return _(
            "Too many {class_name} objects match. The maximum for one request is {maximum}. "
            "Narrow the filter, or use next to request fewer objects.",
            class_name=query.class_name,
            maximum=most,
        )
    return _(
        "{number} {class_name} objects match. The maximum for one request is {maximum}. "
        "Narrow the filter, or use next to request fewer objects.",
        number=number,
        class_name=query.class_name,
        maximum=most,
    )


DescribeProgress = Callable[[str, int, int], Message]
"""Makes a message from the name of the class, the number of objects done, and their total number."""


def _updated(class_name: str, done: int, total: int) -> Message:
    return ngettext(
        "{done} of {count} {class_name} object was updated.",
        "{done} of {count} {class_name} objects were updated.",
        total,
        done=done,
        class_name=class_name,
    )


def _deleted(class_name: str, done: int, total: int) -> Message:
    return ngettext(
        "{done} of {count} {class_name} object was deleted.",
        "{done} of {count} {class_name} objects were deleted.",
        total,
        done=done,
        class_name=class_name,
    )


def _validated(class_name: str, done: int, total: int) -> Message:
    return ngettext(
        "{done} of {count} {class_name} object was validated.",
        "{done} of {count} {class_name} objects were validated.",
        total,
        done=done,
        class_name=class_name,
    )


class BulkOutcome(NamedTuple, Generic[T]):
    """What a bulk service has done, and why it has not done the rest."""

    results: list[T]
    """One for each object that was written, in the order of the writes."""
    refusal: Refused | None = None
    """Has an issue about the progress, and the first issues of objects. None if all objects were written."""


class BulkRun(Generic[T]):
    """One run of a bulk service over some objects, with the result of each.

    `describe_progress` makes the message about its progress. `given` has the names of the attributes and
    roles that the request sets in the same way for each object.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what to do, for whom, and what it is called
        self,
        services: Services,
        caller: Caller,
        class_name: str,
        references: Sequence[Reference],
        describe_progress: DescribeProgress,
        given: Collection[str] = (),
    ) -> None:
        self._clock = services.clock
        self._access = access_of(services.model, caller.profile)
        self._end = services.bulk_end()
        self._class_name = class_name
        self._references = references
        self._describe_progress = describe_progress
        self._results: list[T] = []
        self._issues = FirstIssues(given)

    def each(self, act: Callable[[Reference], T]) -> "BulkOutcome[T]":
        """Return the result of `act` for each object, without those for which it raises NoLongerMatches.

        If `act` refuses an object, the run goes on. It stops when the time is over, and at any other
        exception. Then the outcome has a refusal, and the results of the other objects. Raises the other
        exception if there is no result.
        """
        for reference in self._references:
            if self._clock.now() > self._end:
                message = _(
                    "The request reached its time limit. {progress} Send the request again to continue.",
                    progress=self._progress(),
                )
                return BulkOutcome(self._results, Unfinished(self._issues_after(message)))
            # Each object may take milliseconds, so let other requests run in between.
            waiting.give_way()
            try:
                self._try(act, reference)
            except Exception as cause:
                if not self._results:
                    raise
                return BulkOutcome(self._results, Unfinished(self._issues_after(self._progress()), cause))
        if self._issues.count:
            message = _("{progress} For the rest, see the other issues.", progress=self._progress())
            return BulkOutcome(self._results, Refused(self._issues_after(message)))
        return BulkOutcome(self._results)

    def _try(self, act: Callable[[Reference], T], reference: Reference) -> None:
        try:
            self._results.append(act(reference))
        except NoLongerMatches:
            pass
        except Refused as refusal:
            self._issues.add(reference, refusal.issues)
        except ReadBudgetExceeded as refusal:  # the budget of this object alone, so the run goes on
            message = readable_refusal(self._access, refusal).message
            issue = issue_about_all(IssueType.MALFORMED_REQUEST, self._class_name, message)
            self._issues.add(reference, [issue])

    def _progress(self) -> Message:
        return self._describe_progress(self._class_name, len(self._results), len(self._references))

    def _issues_after(self, message: Message) -> list[Issue]:
        """Return the issue that tells the progress, and the first issues of objects."""
        if self._issues.is_cut:
            message = sentences([message, self._issues.cut_message])
        issue = issue_about_all(IssueType.SERVICE_HANDLER_ERROR, self._class_name, message)
        return [issue, *self._issues.issues]


def issue_about_all(type_: IssueType, class_name: str, message: Message) -> Issue:
    """Return an issue about all objects of the run."""
    return Issue(type_, message, reference_type=ReferenceType.ENTITY, entity_name=class_name, path=OPTIONS)


def update_bulk(  # noqa: PLR0913, PLR0917 - what for, and how much may be read
    services: Services,
    command: UpdateBulk,
    query: Query,
    caller: Caller,
    budget: ReadBudget,
    evaluation: EvaluationContext,
    *,
    force: bool = False,
    recorder: BulkRecorder | None = None,
) -> BulkOutcome[WriteResult]:
    """Return the updated objects as they are now. An object that no longer matches is skipped.

    If `force`, ignore warnings. With a `recorder`, objects that earlier requests have updated are returned
    too, after the others. Raises Refused if no object was updated, and what `BulkRun.each` raises.
    """
    selects = match_predicate(services, query, evaluation)
    options = WriteOptions(force, lambda: evaluation)

    def update(reference: Reference) -> WriteResult:
        return _commit(
            Write(
                services,
                command.for_object(reference),
                caller,
                options=_recorded(options, recorder, reference),
                selects=selects,
            )
        ).result()

    # What is never allowed is refused before anything is read.
    check_allowed(services, command.for_object(Reference(query.class_name, "")), caller)
    references = matching_references(services, query, budget, evaluation)
    check_single_use(services, command, references)
    given = {*command.values, *command.roles}
    run = BulkRun[WriteResult](services, caller, query.class_name, references, _updated, given)
    updated, refusal = run.each(update)
    earlier = _done_earlier(recorder, query.class_name, [each.reference for each in updated])
    found = services.entities.read(earlier) if earlier else ()
    results = [*updated, *(WriteResult(entity) for entity in found if entity is not None)]
    return _some_done(BulkOutcome(results, refusal))


def _some_done(outcome: BulkOutcome[T]) -> BulkOutcome[T]:
    """Return an outcome. Raises its refusal if nothing was done."""
    if outcome.refusal is not None and not outcome.results:
        raise outcome.refusal
    return outcome


def _recorded(options: WriteOptions, recorder: BulkRecorder | None, reference: Reference) -> WriteOptions:
    """Return the options with which a bulk operation writes an object."""
    return options if recorder is None else options._replace(recorder=recorder.recorder_of(reference.id))


def _commit(write: Write) -> WriteOutcome:
    """Commit the write of one object. Raises NoLongerMatches if a request with the same key has done it."""
    try:
        return write.commit()
    except AlreadyRecorded:
        raise NoLongerMatches from None


def _done_earlier(
    recorder: BulkRecorder | None, class_name: str, done: Collection[Reference]
) -> list[Reference]:
    """Return the objects that other requests with the same idempotency key have written."""
    if recorder is None:
        return []
    found = [Reference(class_name, id_) for id_ in recorder.done()]
    now = frozenset(done)
    return [reference for reference in found if reference not in now]


def delete_bulk(  # noqa: PLR0913, PLR0917 - what for, and how much may be read
    services: Services,
    query: Query,
    caller: Caller,
    budget: ReadBudget,
    evaluation: EvaluationContext,
    recorder: BulkRecorder | None = None,
) -> BulkOutcome[Reference]:
    """Return the deleted objects. An object that no longer matches is skipped.

    With a `recorder`, objects that earlier requests have deleted are returned too. Raises Refused if no
    object was deleted, and what `BulkRun.each` raises.
    """
    selects = match_predicate(services, query, evaluation)

    def delete(reference: Reference) -> Reference:
        options = _recorded(NO_OPTIONS, recorder, reference)
        command = Delete(reference, OPTIONS)
        _commit(Write(services, command, caller, options=options, selects=selects))
        return reference

    check_allowed(services, Delete(Reference(query.class_name, ""), OPTIONS), caller)
    references = matching_references(services, query, budget, evaluation)
    run = BulkRun[Reference](services, caller, query.class_name, references, _deleted)
    deleted, refusal = run.each(delete)
    return _some_done(BulkOutcome([*deleted, *_done_earlier(recorder, query.class_name, deleted)], refusal))


def validate_bulk(  # noqa: PLR0913, PLR0917 - what for, and how much may be read
    services: Services,
    command: UpdateBulk | None,
    query: Query,
    caller: Caller,
    budget: ReadBudget,
    evaluation: EvaluationContext,
) -> Sequence[Issue]:
    """Return the issues that would prevent an update in bulk, or a deletion if `command` is None.

    Each object is judged after the writes of those before it, which a fork of the stored objects has done.
    Reports that don't stop a write follow, as in `validate`. Raises ReadBudgetExceeded, Unavailable.
    """
    services = replace(services, entities=services.entities.fork())
    selects = match_predicate(services, query, evaluation)
    options = WriteOptions(evaluation=lambda: evaluation)

    def asked(reference: Reference) -> Command:
        return Delete(reference, OPTIONS) if command is None else command.for_object(reference)

    issues = FirstIssues() if command is None else FirstIssues({*command.values, *command.roles})
    reports = FirstIssues()

    def validate(reference: Reference) -> None:
        write = Write(services, asked(reference), caller, options=options, selects=selects, validates=True)
        outcome = write.rehearse()
        issues.add(reference, outcome.issues)
        reports.add(reference, outcome.reports)

    try:
        check_allowed(services, asked(Reference(query.class_name, "")), caller)
        references = matching_references(services, query, budget, evaluation)
        if command is not None:
            check_single_use(services, command, references)
        run = BulkRun[None](services, caller, query.class_name, references, _validated)
        _, refusal = run.each(validate)
    except Refused as refused:
        refusal = refused
    if isinstance(refusal, Unfinished) and refusal.cause is not None:
        raise refusal.cause
    if refusal is not None:
        return refusal.issues
    told = [*issues.issues, *reports.issues]
    if issues.is_cut:
        told.append(_cut_issue(query.class_name, issues))
    if reports.is_cut:
        told.append(_cut_issue(query.class_name, reports).as_report())
    return told


def _cut_issue(class_name: str, issues: FirstIssues) -> Issue:
    return issue_about_all(IssueType.SERVICE_HANDLER_ERROR, class_name, issues.cut_message)
