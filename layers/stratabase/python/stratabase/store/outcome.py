"""What became of a change that was refused, as the heads that were found tell it."""

from collections.abc import Sequence

from stratabase.domain.objects.change import Change, ObjectEffect, Restoration, reference_of
from stratabase.store import codec, keys
from stratabase.store.engine.port import Failure


def is_known(change: Change, failures: Sequence[Failure]) -> bool:
    """Return whether it is certain what became of a change, whatever answers were lost."""
    return was_done(change, failures) or was_not_done(change, failures)


def was_done(change: Change, failures: Sequence[Failure]) -> bool:
    """Return whether a change has been done before: a head names it."""
    return any(change.commit_id in _named(failure) for failure in failures)


def was_not_done(change: Change, failures: Sequence[Failure]) -> bool:
    """Return whether a change has surely not been done.

    A commit names itself right behind the last one that it expects. While a head names that one, it also
    names those that came after it: so if the change is not among them, it never was.
    """
    expected = {keys.head(reference_of(effect)): _last(effect) for effect in change.object_effects()}
    return not was_done(change, failures) and any(
        commit_id in _named(failure)
        for failure in failures
        for commit_id in expected.get(failure.action.key, ())
    )


def _last(effect: ObjectEffect) -> tuple[str, ...]:
    """Return the last commit that an effect expects a head to name; none of a new object."""
    found = effect.tombstone if isinstance(effect, Restoration) else effect.before
    return () if found is None else found.commit_ids[-1:]


def _named(failure: Failure) -> tuple[str, ...]:
    """Return the commits that a found item names."""
    if failure.found is None:
        return ()
    linked = failure.found.attributes.get(codec.LINKED)
    return (*codec.commit_ids(failure.found), *((linked,) if isinstance(linked, str) else ()))
