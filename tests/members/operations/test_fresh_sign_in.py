"""What counts as a fresh sign-in."""

from dataclasses import replace

import pytest

from stratabase.core.domain.caller import Proof, RanCommand, SentKey, SentPassword, SentToken
from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.http.base.refusals import status_row
from stratabase.members.operations.fresh_sign_in import (
    FRESHNESS,
    StaleSignIn,
    require_fresh_sign_in,
    require_sign_in,
)
from tests.fakes import ADMINISTRATOR, NOON, FrozenClock

FRESH = [
    SentPassword(),
    RanCommand(),
    SentToken(NOON),
    SentToken(NOON - FRESHNESS),
    SentToken(NOON + 10_000, "session"),
]
STALE = [SentToken(NOON - FRESHNESS - 1), SentToken(0)]
FOREIGN = [SentToken(), SentKey("k"), None]


@pytest.mark.parametrize("proof", FRESH)
def test_a_password_and_a_young_token_are_fresh(proof: Proof) -> None:
    require_fresh_sign_in(replace(ADMINISTRATOR, proof=proof), FrozenClock())


@pytest.mark.parametrize("proof", STALE)
def test_an_old_token_is_stale_and_a_client_can_see_why(proof: Proof) -> None:
    caller = replace(ADMINISTRATOR, proof=proof)
    require_sign_in(caller)
    with pytest.raises(StaleSignIn) as refusal:
        require_fresh_sign_in(caller, FrozenClock())
    assert (status_row(refusal.value).status, [*status_row(refusal.value).headers(refusal.value)]) == (
        401,
        [
            (
                "WWW-Authenticate",
                'Bearer realm="Stratabase", error="insufficient_user_authentication", max_age="600"',
            )
        ],
    )
    assert str(refusal.value).startswith("You signed in more than 10 minutes ago. ")


@pytest.mark.parametrize("proof", FOREIGN)
def test_a_key_and_a_token_of_another_service_are_no_sign_in(proof: Proof | None) -> None:
    caller = replace(ADMINISTRATOR, proof=proof)
    with pytest.raises(Forbidden, match="API keys and tokens of other services"):
        require_sign_in(caller)
    with pytest.raises(Forbidden, match="API keys and tokens of other services"):
        require_fresh_sign_in(caller, FrozenClock())
