"""What the client of a provider sends, and how it takes the answers of the provider's addresses."""

from base64 import b64decode
from urllib.parse import parse_qs, unquote_plus, urlsplit

import pytest

from stratabase.core.domain.issues.refusals import Unauthenticated, Unavailable
from stratabase.members.providers.client import ProviderClient
from stratabase.members.providers.provider import ProfileTable
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
    CLIENT_SECRET,
    CODE,
    METADATA,
    REDIRECT_URI,
    TOKEN,
    USER_INFO,
    VERIFIER,
    HostileProvider,
    claims,
    sign,
)
from tests.rows import each_row


@pytest.fixture
def client(hostile: HostileProvider, clock: FrozenClock) -> ProviderClient:
    return ProviderClient(hostile.provider(), clock)


def test_the_browser_is_sent_with_all_that_binds_the_answer(
    client: ProviderClient, hostile: HostileProvider
) -> None:
    hostile.metadata["authorization_endpoint"] = f"{hostile.issuer}/authorize?tenant=a"
    url = urlsplit(client.authorization_url(REDIRECT_URI, "the state", "the nonce", "challenge", max_age=600))
    assert url.path == "/authorize"
    assert parse_qs(url.query) == {
        "tenant": ["a"],
        "response_type": ["code"],
        "client_id": [CLIENT_ID],
        "redirect_uri": [REDIRECT_URI],
        "scope": ["openid profile email"],
        "state": ["the state"],
        "nonce": ["the nonce"],
        "code_challenge": ["challenge"],
        "code_challenge_method": ["S256"],
        "max_age": ["600"],
    }
    assert "max_age" not in client.authorization_url(REDIRECT_URI, "s", "n", "c")
    assert CLIENT_SECRET not in str(url)


def test_a_code_is_sent_with_its_verifier_and_the_secret(hostile: HostileProvider, sign_in: SignIn) -> None:
    sign_in()
    (sent,) = (each for each in hostile.sent if each.path == TOKEN)
    assert sent.form == {
        "grant_type": "authorization_code",
        "code": CODE,
        "redirect_uri": REDIRECT_URI,
        "code_verifier": VERIFIER,
    }
    scheme, _, credentials = sent.headers["Authorization"].partition(" ")
    sent_id, _, sent_secret = b64decode(credentials).decode().partition(":")
    assert (scheme, unquote_plus(sent_id), unquote_plus(sent_secret)) == ("Basic", CLIENT_ID, CLIENT_SECRET)
    assert sent.headers["Accept-Encoding"] == "identity"


@each_row(
    ("methods", "in_form"),
    [
        (["client_secret_post"], True),
        (["private_key_jwt", "client_secret_post"], True),
        (["client_secret_post", "client_secret_basic"], False),
        (None, False),
    ],
)
def test_the_secret_is_sent_as_the_metadata_says(
    methods: list[str] | None, in_form: bool, hostile: HostileProvider, sign_in: SignIn
) -> None:
    if methods is not None:
        hostile.metadata["token_endpoint_auth_methods_supported"] = methods
    else:
        hostile.metadata.pop("token_endpoint_auth_methods_supported", None)
    hostile.sent.clear()
    sign_in()
    (sent,) = (each for each in hostile.sent if each.path == TOKEN)
    expected = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET} if in_form else {}
    assert {name: sent.form[name] for name in sent.form if name.startswith("client")} == expected
    assert ("Authorization" in sent.headers) is not in_form


@each_row(
    ("status", "answer", "expected"),
    [
        (400, {"error": "invalid_grant", "error_description": "x"}, RefusalReason.CODE),
        (401, {"error": "invalid_client"}, ProviderFault.CLIENT),
        (400, {"error": "unauthorized_client"}, ProviderFault.CLIENT),
        (400, {"error": "invalid_request"}, ProviderFault.STATUS),
        (400, {"error": ["invalid_grant"]}, ProviderFault.STATUS),
        (400, b"invalid_grant", ProviderFault.STATUS),
        (500, {"error": "invalid_grant"}, ProviderFault.STATUS),
        (503, b"", ProviderFault.STATUS),
        (201, {"id_token": "a.b.c"}, ProviderFault.STATUS),
        (200, b"", ProviderFault.CONTENT),
        (200, b"<html>", ProviderFault.CONTENT),
        (200, b"[]", ProviderFault.CONTENT),
        (200, b"[" * 100_000, ProviderFault.CONTENT),
        (200, b"9" * 100_000, ProviderFault.CONTENT),
        (200, b'{"id_token": ' + b"9" * 5000 + b"}", ProviderFault.CONTENT),
        (200, b"\xff", ProviderFault.CONTENT),
        (200, {}, RefusalReason.MALFORMED),
        (200, {"error": "invalid_grant"}, RefusalReason.MALFORMED),
        (200, {"access_token": "a", "token_type": "Bearer"}, RefusalReason.MALFORMED),
    ],
)
def test_an_answer_without_tokens_is_explained(
    status: int,
    answer: object,
    expected: RefusalReason | ProviderFault,
    hostile: HostileProvider,
    sign_in: SignIn,
) -> None:
    hostile.answers[TOKEN] = answer
    hostile.statuses[TOKEN] = status
    try:
        sign_in()
        pytest.fail("nothing was refused")
    except SignInRefused as error:
        found, text = str(error.reason), str(error)
    except ProviderUnavailable as error:
        found, text = str(error.fault), str(error)
    assert found == expected
    assert CODE not in text
    assert CLIENT_SECRET not in text


def test_refusals_are_answered_as_all_others(hostile: HostileProvider, sign_in: SignIn) -> None:
    """The table of statuses has rows for the kinds from which they are derived: 401, and 503 with a delay."""
    hostile.answer_with("no token")
    with pytest.raises(Unauthenticated) as refused:
        sign_in()
    assert str(refused.value.message) == (
        "The identity provider's response is not valid (malformed). Sign in again."
    )
    hostile.statuses[TOKEN] = 500
    with pytest.raises(Unavailable) as unavailable:
        sign_in()
    assert unavailable.value.retry_after > 0
    assert "500" not in str(unavailable.value.message)
    assert str(unavailable.value) == f"{hostile.issuer}{TOKEN}: the status is 500, not 200"


@each_row(
    ("iss", "promised", "is_taken"),
    [
        (None, False, True),
        ("own", False, True),
        ("own", True, True),
        (None, True, False),
        ("", False, False),
        ("https://other.example.com", False, False),
        ("https://other.example.com", True, False),
    ],
)
def test_an_answer_of_another_provider_is_refused_before_the_code_is_sent(
    iss: str | None, promised: bool, is_taken: bool, hostile: HostileProvider, sign_in: SignIn
) -> None:
    """A mix-up would send the code of one provider to another one (RFC 9207)."""
    hostile.metadata["authorization_response_iss_parameter_supported"] = promised
    hostile.sent.clear()
    sent = hostile.issuer if iss == "own" else iss
    if is_taken:
        assert sign_in(sent).subject == "248289761001"
        return
    with pytest.raises(SignInRefused) as caught:
        sign_in(sent)
    assert caught.value.reason is RefusalReason.ANSWER_ISSUER
    assert hostile.count(TOKEN) == 0


TABLE = ProfileTable(("groups",), (("hr", "Manager"),))


def test_claims_that_the_id_token_lacks_are_asked_for(hostile: HostileProvider, sign_in: SignIn) -> None:
    hostile.answers[USER_INFO] = {"sub": "248289761001", "groups": ["hr"], "nonce": "not of the token"}
    identity = sign_in(profiles=TABLE)
    assert (identity.claims["groups"], identity.claims["nonce"]) == (["hr"], "a nonce")
    (sent,) = (each for each in hostile.sent if each.path == USER_INFO)
    assert sent.headers["Authorization"] == "Bearer an access token"


def test_claims_that_the_id_token_has_are_not_asked_for(hostile: HostileProvider, sign_in: SignIn) -> None:
    hostile.answer_with(sign(claims(hostile.issuer, groups=[], email="ada@example.com")))
    sign_in(profiles=TABLE, creates_members=True)
    sign_in(profiles=None)
    assert hostile.count(USER_INFO) == 0


@each_row("missing", ["preferred_username", "email", "groups"])
def test_new_members_need_a_name_an_address_and_a_profile(
    missing: str, hostile: HostileProvider, sign_in: SignIn
) -> None:
    given = {"preferred_username": "ada", "email": "ada@example.com", "groups": ["hr"]}
    hostile.answer_with(sign(claims(hostile.issuer, **{**given, missing: ...})))
    hostile.answers[USER_INFO] = {"sub": "248289761001", missing: given[missing]}
    assert sign_in(profiles=TABLE, creates_members=True).claims[missing] == given[missing]


@each_row("sub", ["another", "", None, 5, ["248289761001"]])
def test_claims_of_another_subject_are_refused(
    sub: object, hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.answers[USER_INFO] = {"sub": sub, "groups": ["hr"]}
    with pytest.raises(SignInRefused) as caught:
        sign_in(profiles=TABLE)
    assert caught.value.reason is RefusalReason.SUBJECT


@each_row(
    "fields",
    [
        {"token_type": "DPoP"},
        {"token_type": None},
        {"access_token": None},
        {"access_token": "a\r\nb: c"},
        {"access_token": "ü"},
    ],
)
def test_an_access_token_that_can_not_be_sent_is_not_sent(
    fields: dict[str, object], hostile: HostileProvider, sign_in: SignIn
) -> None:
    hostile.answer_with(sign(claims(hostile.issuer)), **fields)
    assert "groups" not in sign_in(profiles=TABLE).claims
    assert hostile.count(USER_INFO) == 0


def test_a_code_of_any_form_can_be_sent(client: ProviderClient, hostile: HostileProvider) -> None:
    for code in ("\ud800", "a&b=c", "\0", "é" * 1000):
        assert client.identity(code, VERIFIER, REDIRECT_URI, "a nonce", None).subject == "248289761001"
    sent = [each.form for each in hostile.sent if each.path == TOKEN]
    assert [each["code"] for each in sent] == ["?", "a&b=c", "\0", "é" * 1000]


def test_the_address_for_signing_out_is_that_of_the_provider(
    client: ProviderClient, hostile: HostileProvider, clock: FrozenClock
) -> None:
    url = client.end_session_url("https://hr.example.com/")
    assert url == (
        f"{hostile.issuer}/logout?a=b&client_id=hr&post_logout_redirect_uri=https%3A%2F%2Fhr.example.com%2F"
    )
    assert client.end_session_url() == f"{hostile.issuer}/logout?a=b&client_id=hr"
    del hostile.metadata["end_session_endpoint"]
    assert ProviderClient(hostile.provider(), clock).end_session_url() is None
    hostile.statuses[METADATA] = 500
    assert ProviderClient(hostile.provider(), clock).end_session_url() is None


def test_a_check_reads_the_metadata_and_the_keys(client: ProviderClient, hostile: HostileProvider) -> None:
    client.check()
    assert [each.path for each in hostile.sent] == [METADATA, "/keys"]
