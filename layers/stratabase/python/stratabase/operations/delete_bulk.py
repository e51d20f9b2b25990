"""Delete each object that a query finds, with all its parts."""

from stratabase.domain.allowance import Allowance
from stratabase.domain.command import Delete
from stratabase.domain.entity import Reference
from stratabase.domain.member import Caller
from stratabase.domain.page import Query
from stratabase.operations.bulk import Bulk, found, meant_by
from stratabase.operations.graph import GraphWrite, Judgement
from stratabase.operations.world import World


def delete_bulk(world: World, query: Query, caller: Caller, allowance: Allowance) -> int:
    """Return how many objects were deleted; one that matches no more when its turn comes is left alone.

    Raises what `Bulk` raises.
    """
    meant = meant_by(world, query)

    def delete(reference: Reference) -> Judgement:
        return GraphWrite(world, Delete(reference), caller, meant=meant).done()

    references = found(world, query, allowance)
    return len(Bulk[Judgement](world, query.class_name, references, "deleted").each(delete))
