"""Keys of tokens in memory, for tests of what signs and verifies."""

from collections.abc import Callable, Sequence

from stratabase.domain.members.key_rotation import SigningKey


class InMemoryKeyring:
    """Keys in a list, as the port promises; counts how often they are read, and can be out of reach."""

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
    """Return a key with a secret that only it has."""
    return SigningKey(id_, f"the secret of the key with the id {id_}".encode(), since)
