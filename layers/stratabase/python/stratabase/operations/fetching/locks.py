"""The locks of what is answered: each is read with its object by key, since pages do not tell them."""

from collections.abc import Sequence

from stratabase.domain.query.fetch import LOCK
from stratabase.operations.fetching.branch import Branch
from stratabase.operations.fetching.known import Known


def show_locks(level: Sequence[Branch], known: Known) -> None:
    """Put the locks that are wanted into the views of a level. Raises TooMuchRead."""
    wanted = [branch for branch in level if branch.fetch.render_lock is not None]
    unread = dict.fromkeys(
        reference for branch in wanted for reference in branch.entities if reference not in known
    )
    if unread:
        known.read(list(unread))
    for branch in wanted:
        _put(branch, known)


def _put(branch: Branch, known: Known) -> None:
    shown = branch.fetch.render_lock
    assert shown is not None
    for reference in branch.entities:
        entity = known[reference]
        branch.put(reference, LOCK, None if entity is None else shown(entity))
