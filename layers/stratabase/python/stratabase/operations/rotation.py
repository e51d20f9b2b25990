"""Rotating the keys of tokens: a new one follows, and those go that nobody needs any more."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stratabase.domain.signing_key import SigningKey
from stratabase.domain.succession import PREPARATION, living
from stratabase.operations.known_keys import new_key
from stratabase.operations.ports import Clock, Ids, Keyring


@dataclass(frozen=True, slots=True)
class Rotation:
    """What came of a rotation."""

    key: SigningKey
    """The one that signs from now on, or from its time on."""
    made: bool
    """Whether it was made just now; not when one was on its way already."""
    dropped: tuple[str, ...]
    """The ids of the keys that went."""


class Rotate:
    """Rotates the keys of a keyring; a token lives for `validity` milliseconds."""

    def __init__(self, keyring: Keyring, clock: Clock, ids: Ids, validity: int) -> None:
        self._keyring = keyring
        self._clock = clock
        self._ids = ids
        self._validity = validity

    def __call__(self, *, at_once: bool = False) -> Rotation:
        """Have a new key sign as soon as every process knows it; no live token ends.

        Two that rotate at the same time, or one that does so twice, make one key. With `at_once`, for keys
        that were stolen: all other keys go, and with them every token. Raises Unavailable.
        """
        new = new_key(self._ids, self._clock.now())
        before: Sequence[SigningKey] = ()
        after: Sequence[SigningKey] = ()

        def changed(keys: Sequence[SigningKey]) -> Sequence[SigningKey]:
            nonlocal before, after
            before, after = keys, (new,) if at_once else self._followed(keys, new)
            return after

        self._keyring.change(changed)
        left = {key.id for key in after}
        dropped = tuple(key.id for key in before if key.id not in left)
        return Rotation(after[-1], after[-1].id == new.id, dropped)

    def _followed(self, keys: Sequence[SigningKey], new: SigningKey) -> Sequence[SigningKey]:
        """Return the keys that are left with the new one, which signs last of all."""
        kept = tuple(living(keys, new.since, self._validity))
        if not kept:
            return (new,)
        if kept[-1].since > new.since:
            return kept
        return (*kept, replace(new, since=new.since + PREPARATION))
