"""A key that signs tokens."""

from dataclasses import dataclass, field

from stratabase.domain.objects.instant import Instant


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A secret of 32 random bytes or more, under the id that tokens name in their `kid`.

    It signs from `since` on, until a younger one does; until then every process has come to know it.
    """

    id: str
    secret: bytes = field(repr=False)
    since: Instant
