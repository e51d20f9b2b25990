"""An in-memory keyring of signing keys."""

from collections.abc import Callable, Sequence

from stratabase.members.keys.key_rotation import SigningKey


class InMemoryKeyring:
    """An in-memory keyring that follows the port, counts reads, and can be made unavailable."""

    def __init__(self, *keys: SigningKey) -> None:
        self.stored: Sequence[SigningKey] = keys
        self.reads = 0
        self.refuse: Exception | None = None
        self.before_change: Callable[[], None] = lambda: None

    def keys(self) -> Sequence[SigningKey]:
        self.reads += 1
        if self.refuse is not None:
            raise self.refuse
        return self.stored

    def change(self, changed: Callable[[Sequence[SigningKey]], Sequence[SigningKey]]) -> None:
        self.before_change()
        if self.refuse is not None:
            raise self.refuse
        self.stored = tuple(changed(self.stored))


def key(id_: str, since: int = 0) -> SigningKey:
    """Return a signing key with a unique secret."""
    return SigningKey(id_, f"the secret of the key with the id {id_}".encode(), since)
