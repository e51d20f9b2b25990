"""Delete each object that a query finds, with all its parts."""

from stratabase.domain.allowance import Allowance
from stratabase.domain.command import Delete
from stratabase.domain.entity import Reference
from stratabase.domain.member import Caller
from stratabase.domain.page import Query
from stratabase.model.expressions import Circumstances
from stratabase.operations.bulk import OPTIONS, Bulk, check_allowed, found, meant_by
from stratabase.operations.graph import GraphWrite
from stratabase.operations.judgement import Judgement
from stratabase.operations.world import World


def delete_bulk(
    world: World, query: Query, caller: Caller, allowance: Allowance, circumstances: Circumstances
) -> int:
    """Return how many objects were deleted; one that matches no more when its turn comes is left alone.

    Raises what `Bulk` raises.
    """
    meant = meant_by(world, query, circumstances)

    def delete(reference: Reference) -> Judgement:
        return GraphWrite(world, Delete(reference, OPTIONS), caller, meant=meant).done()

    check_allowed(world, Delete(Reference(query.class_name, ""), OPTIONS), caller)
    references = found(world, query, allowance, circumstances)
    return len(Bulk[Judgement](world, query.class_name, references, "deleted").each(delete))
