"""Update each object that a query finds in the same way."""

from stratabase.domain.allowance import Allowance
from stratabase.domain.command import UpdateBulk
from stratabase.domain.entity import Reference
from stratabase.domain.member import Caller
from stratabase.domain.page import Query
from stratabase.operations.bulk import Bulk, found, meant_by
from stratabase.operations.graph import GraphWrite
from stratabase.operations.world import World
from stratabase.operations.written import Written


def update_bulk(
    world: World, command: UpdateBulk, query: Query, caller: Caller, allowance: Allowance
) -> list[Written]:
    """Return the objects as they are now; one that matches no more when its turn comes is left alone.

    Raises what `Bulk` raises.
    """
    meant = meant_by(world, query)

    def update(reference: Reference) -> Written:
        return GraphWrite(world, command.of(reference), caller, meant=meant).done().written()

    references = found(world, query, allowance)
    return Bulk[Written](world, query.class_name, references, "updated").each(update)
