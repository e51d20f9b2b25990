"""Tell what is wrong with a bulk write, and write nothing."""

from collections.abc import Sequence

from stratabase.domain.allowance import Allowance
from stratabase.domain.command import Command, Delete, UpdateBulk
from stratabase.domain.entity import Reference
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.member import Caller
from stratabase.domain.page import Query
from stratabase.domain.refusal import Refused
from stratabase.model.expressions import Circumstances
from stratabase.operations.bulk import OPTIONS, Bulk, about_all, check_allowed, found, meant_by
from stratabase.operations.first_issues import FirstIssues
from stratabase.operations.graph import GraphWrite
from stratabase.operations.terms import Terms
from stratabase.operations.world import World


def validate_bulk(  # noqa: PLR0913, PLR0917 - what for, and how much may be read
    world: World,
    command: UpdateBulk | None,
    query: Query,
    caller: Caller,
    allowance: Allowance,
    circumstances: Circumstances,
) -> Sequence[Issue]:
    """Return why objects would be refused, and why all would be; without a command they are to be deleted.

    Then come the reports that stop no write, as with `validate`. Raises TooMuchRead, Unavailable.
    """
    meant, terms = meant_by(world, query, circumstances), Terms(circumstances=circumstances)

    def asked(reference: Reference) -> Command:
        return Delete(reference, OPTIONS) if command is None else command.of(reference)

    issues = FirstIssues() if command is None else FirstIssues({*command.given, *command.roles})
    reports = FirstIssues()

    def validate(reference: Reference) -> None:
        write = GraphWrite(world, asked(reference), caller, terms=terms, meant=meant, validates=True)
        judgement = write.rehearsed()
        issues.add(judgement.issues)
        reports.add(judgement.reports)

    try:
        check_allowed(world, asked(Reference(query.class_name, "")), caller)
        references = found(world, query, allowance, circumstances)
        Bulk[None](world, query.class_name, references, "looked at").each(validate)
    except Refused as refusal:
        return refusal.issues
    told = [*issues.told, *reports.told]
    if issues.is_cut:
        told.append(about_all(IssueType.SERVICE_HANDLER_ERROR, query.class_name, str(issues)))
    if reports.is_cut:
        told.append(about_all(IssueType.SERVICE_HANDLER_ERROR, query.class_name, str(reports)).as_report())
    return told
