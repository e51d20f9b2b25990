"""The time limit of a request while it computes: it lets others proceed, and ends at its deadline."""

from stratabase.core import waiting
from stratabase.core.deadline import remaining_seconds
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.values.messages import _


def check_time() -> None:
    """Let other requests proceed before a part of a request that may take long. It costs little.

    Raises Unavailable after the deadline of the request.
    """
    waiting.give_way()
    if remaining_seconds() <= 0:
        message = _(
            "The request reached its time limit, so this part of it wasn't executed. Request less at a time."
        )
        raise Unavailable(message)
