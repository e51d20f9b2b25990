"""Update each object that a query finds in the same way."""

from stratabase.domain.allowance import Allowance
from stratabase.domain.command import UpdateBulk
from stratabase.domain.entity import Reference
from stratabase.domain.member import Caller
from stratabase.domain.page import Query
from stratabase.model.expressions import Circumstances
from stratabase.operations.bulk import Bulk, check_allowed, found, meant_by
from stratabase.operations.graph import GraphWrite
from stratabase.operations.terms import Terms
from stratabase.operations.world import World
from stratabase.operations.written import Written


def update_bulk(  # noqa: PLR0913, PLR0917 - what for, and how much may be read
    world: World,
    command: UpdateBulk,
    query: Query,
    caller: Caller,
    allowance: Allowance,
    circumstances: Circumstances,
    *,
    force: bool = False,
) -> list[Written]:
    """Return the objects as they are now; one that matches no more when its turn comes is left alone.

    `force`: in spite of warnings. Raises what `Bulk` raises.
    """
    meant, terms = meant_by(world, query, circumstances), Terms(force, circumstances)

    def update(reference: Reference) -> Written:
        return GraphWrite(world, command.of(reference), caller, terms=terms, meant=meant).done().written()

    check_allowed(world, command.of(Reference(query.class_name, "")), caller)
    references = found(world, query, allowance, circumstances)
    given = {*command.given, *command.roles}
    return Bulk[Written](world, query.class_name, references, "updated", given).each(update)
