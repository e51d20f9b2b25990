"""Where DynamoDB is, as whom to call it, and how long to wait for it."""

from dataclasses import dataclass, field
from typing import NamedTuple


class Credentials(NamedTuple):
    """As whom to call; `token` belongs to those that are only lent."""

    access_key: str
    secret_key: str
    token: str | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a client must know. Without a URL: AWS's own; without credentials: the environment's."""

    region: str
    url: str | None = None
    credentials: Credentials | None = field(default=None, repr=False)
    connect_timeout: float = 1.0
    """Seconds, as all of them."""
    read_timeout: float = 3.0
    connections: int = 64
    """How many are kept open."""
