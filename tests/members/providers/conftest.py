"""A hostile provider, and a client of it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stratabase.members.providers.client import ProviderClient
from stratabase.members.providers.provider import Identity
from tests.fakes import FrozenClock
from tests.members.providers.hostile_provider import (
    CODE,
    NONCE,
    REDIRECT_URI,
    VERIFIER,
    HostileProvider,
    running_provider,
)

SignIn = Callable[..., Identity]


@pytest.fixture
def hostile() -> Iterator[HostileProvider]:
    """A provider on this machine, without TLS, whose answers are good until a test spoils them."""
    with running_provider() as provider:
        yield provider


@pytest.fixture
def clock() -> FrozenClock:
    """The clock of the client. Tokens of the provider are issued at its beginning."""
    return FrozenClock()


@pytest.fixture
def sign_in(hostile: HostileProvider, clock: FrozenClock) -> SignIn:
    """Return who has signed in with the provider, by a client whose settings a test can change."""

    def sign_in(iss: str | None = None, max_age: int | None = None, **changes: Any) -> Identity:
        client = ProviderClient(hostile.provider(**changes), clock)
        return client.identity(CODE, VERIFIER, REDIRECT_URI, NONCE, iss, max_age=max_age)

    return sign_in
