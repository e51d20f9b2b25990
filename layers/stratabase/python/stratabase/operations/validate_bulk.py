"""Tell what is wrong with a bulk write, and write nothing."""

from collections.abc import Sequence

from stratabase.domain.allowance import Allowance
from stratabase.domain.command import Delete, UpdateBulk
from stratabase.domain.entity import Reference
from stratabase.domain.issue import Issue
from stratabase.domain.member import Caller
from stratabase.domain.page import Query
from stratabase.domain.refusal import Refused
from stratabase.operations.bulk import Bulk, found, meant_by
from stratabase.operations.graph import GraphWrite
from stratabase.operations.world import World


def validate_bulk(
    world: World, command: UpdateBulk | None, query: Query, caller: Caller, allowance: Allowance
) -> Sequence[Issue]:
    """Return why objects would be refused, and why all would be; without a command they are to be deleted.

    Raises TooMuchRead, Unavailable.
    """
    meant = meant_by(world, query)

    def validate(reference: Reference) -> list[Issue]:
        asked = Delete(reference) if command is None else command.of(reference)
        return GraphWrite(world, asked, caller, meant=meant).rehearsed().issues

    try:
        references = found(world, query, allowance)
        issues = Bulk[list[Issue]](world, query.class_name, references, "looked at").each(validate)
    except Refused as refusal:
        return refusal.issues
    return [issue for each in issues for issue in each]
