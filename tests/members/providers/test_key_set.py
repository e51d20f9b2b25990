"""The keys of a provider: which of them verify a token, and when they are read again."""

from collections.abc import Callable, Mapping
from threading import Barrier, Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stratabase.members.providers.client import ProviderClient
from stratabase.members.providers.provider import AccessTokenRule
from stratabase.members.providers.published import (
    FIRST_READ_INTERVAL,
    PUBLISHED_FRESHNESS,
    PUBLISHED_STALENESS,
    REREAD_INTERVAL,
    Published,
)
from stratabase.members.providers.refusals import (
    ProviderFault,
    ProviderUnavailable,
    RefusalReason,
    SignInRefused,
)
from tests.fakes import FrozenClock
from tests.members.providers.conftest import SignIn
from tests.members.providers.hostile_provider import (
    CLIENT_ID,
    CODE,
    KEYS,
    METADATA,
    NONCE,
    NOW,
    REDIRECT_URI,
    VERIFIER,
    HostileProvider,
    claims,
    private_key,
    public_jwk,
    sign,
)
from tests.rows import each_row
from tests.soak import EXAMPLES

GOOD = public_jwk(private_key(), kid="1")


def refusal(sign_in: SignIn) -> RefusalReason:
    with pytest.raises(SignInRefused) as caught:
        sign_in()
    return caught.value.reason


@each_row(
    "key",
    [
        {**GOOD, "use": "enc"},
        {**GOOD, "key_ops": ["encrypt"]},
        {**GOOD, "key_ops": "verify"},
        {**GOOD, "kid": "2"},
        {**GOOD, "kid": 1},
        {**GOOD, "kid": None},
        {**GOOD, "alg": "RS512"},
        {**GOOD, "alg": ["RS256"]},
        {**GOOD, "kty": "EC"},
        {**GOOD, "kty": "oct"},
        {**GOOD, "kty": ["RSA"]},
        {**GOOD, "kty": None},
        {**GOOD, "d": "AQAB"},
        {**GOOD, "k": "c2VjcmV0"},
        {**GOOD, "n": 5},
        {**GOOD, "n": "A" * 1401},
        {**GOOD, "e": None},
        public_jwk(private_key("ES256"), kid="1"),
        public_jwk(private_key("EdDSA"), kid="1"),
        "RSA",
        None,
        [],
    ],
)
def test_a_key_that_does_not_fit_verifies_nothing(
    key: object, hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.publish(key)
    assert refusal(sign_in) is RefusalReason.KEY


@each_row(
    "key",
    [
        {**GOOD, "n": ""},
        {**GOOD, "n": "!!!"},
        {**GOOD, "n": "AQAB"},
        {**GOOD, "n": "_" * 1400},
        {**GOOD, "e": "AA"},
        {**GOOD, "e": "AQ"},
        {**GOOD, "e": "ü"},
    ],
)
def test_a_broken_key_verifies_nothing(
    key: Mapping[str, Any], hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.publish(key)
    assert refusal(sign_in) in (RefusalReason.KEY, RefusalReason.SIGNATURE)


def test_short_keys_are_not_strong_enough(hostile: HostileProvider, sign_in: SignIn) -> None:
    key = private_key("RSA-1024")
    hostile.publish(public_jwk(key, kid="1"))
    with pytest.warns(match="1024 bits"):
        hostile.answer_with(sign(claims(hostile.issuer), key=key))
    assert refusal(sign_in) is RefusalReason.KEY


@each_row(("curve", "algorithm"), [("ES256", "ES384"), ("ES384", "ES256"), ("ES256", "ES512")])
def test_an_algorithm_needs_its_own_curve(
    curve: str, algorithm: str, hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.publish(public_jwk(private_key(curve), kid="1"))
    hostile.answer_with(sign(claims(hostile.issuer), algorithm))
    assert refusal(sign_in) is RefusalReason.KEY


def test_a_point_beside_the_curve_is_no_key(hostile: HostileProvider, sign_in: SignIn) -> None:
    hostile.publish({**public_jwk(private_key("ES256"), kid="1"), "y": "A" * 43})
    hostile.answer_with(sign(claims(hostile.issuer), "ES256"))
    assert refusal(sign_in) is RefusalReason.KEY


def test_keys_that_can_not_be_used_do_not_matter(hostile: HostileProvider, sign_in: SignIn) -> None:
    others = [None, {}, {"kty": "oct", "k": "AAAA"}, {**GOOD, "d": "AQAB"}, public_jwk(private_key("ES256"))]
    hostile.publish(*others, GOOD)
    assert sign_in().subject == "248289761001"


def test_two_keys_with_the_same_id_are_ambiguous(hostile: HostileProvider, sign_in: SignIn) -> None:
    hostile.publish(GOOD, public_jwk(private_key(number=1), kid="1"))
    assert refusal(sign_in) is RefusalReason.KEY


def test_keys_of_other_types_can_have_the_same_id(hostile: HostileProvider, sign_in: SignIn) -> None:
    hostile.publish(public_jwk(private_key("ES256"), kid="1"), GOOD)
    assert sign_in().subject == "248289761001"


def test_a_token_without_a_key_id_needs_a_single_key(hostile: HostileProvider, sign_in: SignIn) -> None:
    hostile.answer_with(sign(claims(hostile.issuer), kid=...))
    hostile.publish(public_jwk(private_key("ES256")), {**GOOD, "kid": "1"})
    assert sign_in().subject == "248289761001"
    hostile.publish(GOOD, public_jwk(private_key(number=1), kid="2"))
    assert refusal(sign_in) is RefusalReason.KEY


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from([*GOOD, "x", "y", "crv", "alg", "d"])


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(changes=st.lists(st.dictionaries(FIELDS, JSON, min_size=1), max_size=4))
def test_keys_of_any_form_are_no_error(
    changes: list[dict[str, Any]], hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.publish(*({**GOOD, **each} for each in changes), *changes)
    try:
        sign_in()
    except SignInRefused as refused:
        assert refused.reason in (RefusalReason.KEY, RefusalReason.SIGNATURE)  # noqa: PT017


class Clients:
    """A client that signs in again and again, with tokens that the test names."""

    def __init__(self, hostile: HostileProvider, clock: FrozenClock) -> None:
        self._hostile = hostile
        self._client = ProviderClient(hostile.provider(), clock)

    def sign_in(self, key_id: str = "1", number: int = 0) -> str:
        """Return who signs in with a token of a key."""
        token = sign(
            claims(self._hostile.issuer, exp=NOW + 10**9), key=private_key(number=number), kid=key_id
        )
        self._hostile.answer_with(token)
        return self._client.identity(CODE, VERIFIER, REDIRECT_URI, NONCE, None).subject

    def fails(self, key_id: str = "1", number: int = 0) -> RefusalReason | ProviderFault:
        """Return why a token of a key is refused."""
        try:
            self.sign_in(key_id, number)
        except SignInRefused as refused:
            return refused.reason
        except ProviderUnavailable as error:
            return error.fault
        pytest.fail("nothing was refused")


@pytest.fixture
def clients(hostile: HostileProvider, clock: FrozenClock) -> Clients:
    return Clients(hostile, clock)


def test_metadata_and_keys_are_read_once_an_hour(
    hostile: HostileProvider, clients: Clients, clock: FrozenClock
) -> None:
    for _ in range(3):
        clients.sign_in()
    clock.instant += PUBLISHED_FRESHNESS - 1
    clients.sign_in()
    assert (hostile.count(METADATA), hostile.count(KEYS)) == (1, 1)
    clock.instant += 1
    clients.sign_in()
    assert (hostile.count(METADATA), hostile.count(KEYS)) == (2, 2)


def test_a_flood_of_unknown_keys_costs_a_fetch_a_minute(
    hostile: HostileProvider, clients: Clients, clock: FrozenClock
) -> None:
    clients.sign_in()
    clock.instant += REREAD_INTERVAL
    for number in range(20):
        assert clients.fails(f"unknown {number}") is RefusalReason.KEY
    assert hostile.count(KEYS) == 2
    clock.instant += REREAD_INTERVAL - 1
    assert clients.fails("unknown") is RefusalReason.KEY
    assert hostile.count(KEYS) == 2
    clock.instant += 1
    assert clients.fails("unknown") is RefusalReason.KEY
    assert hostile.count(KEYS) == 3


def test_a_new_key_is_found_when_its_first_token_comes(
    hostile: HostileProvider, clients: Clients, clock: FrozenClock
) -> None:
    clients.sign_in()
    hostile.publish(GOOD, public_jwk(private_key(number=1), kid="2"))
    clock.instant += REREAD_INTERVAL
    assert clients.sign_in("2", number=1) == clients.sign_in() == "248289761001"
    assert hostile.count(KEYS) == 2


def test_a_withdrawn_key_verifies_nothing_after_the_next_read(
    hostile: HostileProvider, clients: Clients, clock: FrozenClock
) -> None:
    clients.sign_in()
    hostile.publish(public_jwk(private_key(number=1), kid="2"))
    clock.instant += PUBLISHED_FRESHNESS
    assert clients.fails() is RefusalReason.KEY
    assert clients.sign_in("2", number=1) == "248289761001"


def test_another_key_under_a_known_id_verifies_nothing_of_the_first(
    hostile: HostileProvider, clients: Clients, clock: FrozenClock
) -> None:
    clients.sign_in()
    hostile.publish(public_jwk(private_key(number=1), kid="1"))
    assert clients.fails(number=1) is RefusalReason.SIGNATURE
    clock.instant += PUBLISHED_FRESHNESS
    assert clients.fails(number=0) is RefusalReason.SIGNATURE
    assert clients.sign_in(number=1) == "248289761001"


def test_keys_are_kept_for_a_day_while_they_can_not_be_read(
    hostile: HostileProvider, clients: Clients, clock: FrozenClock
) -> None:
    clients.sign_in()
    hostile.statuses |= {KEYS: 500, METADATA: 500}
    clock.instant += PUBLISHED_FRESHNESS
    for _ in range(3):
        clients.sign_in()
    assert (hostile.count(METADATA), hostile.count(KEYS)) == (2, 2)
    clock.instant += PUBLISHED_STALENESS - PUBLISHED_FRESHNESS - 1
    clients.sign_in()
    clock.instant += 1
    assert clients.fails() is ProviderFault.STATUS
    hostile.statuses.clear()
    clock.instant += FIRST_READ_INTERVAL
    clients.sign_in()


def test_each_failure_to_read_is_reported_also_while_former_keys_are_used(
    hostile: HostileProvider, clock: FrozenClock
) -> None:
    reported = list[ProviderFault]()
    client = ProviderClient(hostile.provider(), clock, report=lambda error: reported.append(error.fault))
    client.check()
    hostile.statuses |= {KEYS: 500}
    clock.instant += PUBLISHED_FRESHNESS
    for _ in range(3):
        client.check()
    assert reported == [ProviderFault.STATUS]


def test_keys_that_no_longer_are_a_set_of_keys_do_not_replace_good_ones(
    hostile: HostileProvider, clients: Clients, clock: FrozenClock
) -> None:
    clients.sign_in()
    hostile.answers[KEYS] = {"error": "down"}
    clock.instant += PUBLISHED_FRESHNESS
    clients.sign_in()
    assert hostile.count(KEYS) == 2


def test_a_provider_that_is_down_is_asked_every_ten_seconds(
    hostile: HostileProvider, clients: Clients, clock: FrozenClock
) -> None:
    hostile.statuses[METADATA] = 503
    for _ in range(5):
        assert clients.fails() is ProviderFault.STATUS
    assert hostile.count(METADATA) == 1
    hostile.statuses.clear()
    clock.instant += FIRST_READ_INTERVAL - 1
    assert clients.fails() is ProviderFault.STATUS
    clock.instant += 1
    clients.sign_in()


def test_a_clock_that_was_set_back_lets_the_keys_be_read_again(
    hostile: HostileProvider, clients: Clients, clock: FrozenClock
) -> None:
    clock.instant += PUBLISHED_FRESHNESS
    clients.sign_in()
    clock.instant -= PUBLISHED_FRESHNESS
    clients.sign_in()
    assert hostile.count(KEYS) == 2


def at_once(count: int, work: Callable[[int], None]) -> None:
    """Run work in threads that begin together."""
    barrier = Barrier(count)

    def run(number: int) -> None:
        barrier.wait()
        work(number)

    threads = [Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_many_threads_share_one_read(hostile: HostileProvider, clock: FrozenClock) -> None:
    client, found = ProviderClient(hostile.provider(), clock), list[str]()
    at_once(8, lambda _: found.append(client.identity(CODE, VERIFIER, REDIRECT_URI, NONCE, None).subject))
    assert found == ["248289761001"] * 8
    assert (hostile.count(METADATA), hostile.count(KEYS)) == (1, 1)


def test_a_flood_in_many_threads_costs_one_fetch(hostile: HostileProvider, clock: FrozenClock) -> None:
    rule = AccessTokenRule(CLIENT_ID)
    client = ProviderClient(hostile.provider(access_tokens=rule), clock)
    client.check()
    clock.instant += REREAD_INTERVAL
    reasons = list[RefusalReason]()

    def send(number: int) -> None:
        with pytest.raises(SignInRefused) as caught:
            client.access_identity(sign(claims(hostile.issuer), kid=f"unknown {number}", typ="at+jwt"))
        reasons.append(caught.value.reason)

    at_once(16, send)
    assert reasons == [RefusalReason.KEY] * 16
    assert hostile.count(KEYS) == 2


def test_who_has_looked_before_another_has_read_does_not_read_again(clock: FrozenClock) -> None:
    """A thread can look, and begin its own read only after the shared one has ended."""
    reads = list[int]()
    published = Published(lambda: reads.append(1), clock, lambda _error: None)
    published.current()
    published._read_now(REREAD_INTERVAL)
    assert reads == [1]
    clock.instant += REREAD_INTERVAL
    published._read_now(REREAD_INTERVAL)
    assert reads == [1, 1]
