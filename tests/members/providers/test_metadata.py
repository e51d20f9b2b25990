"""The metadata of a provider: what it must have, and which addresses in it are refused."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.members.providers.metadata import (
    BASIC,
    POST,
    ProviderMetadata,
    metadata_url,
    parse_metadata,
)
from stratabase.members.providers.provider import Provider
from stratabase.members.providers.refusals import ProviderFault, ProviderUnavailable
from tests.rows import each_row
from tests.soak import EXAMPLES

ISSUER = "https://id.example.com"
PROVIDER = Provider("corp", "Example Inc.", ISSUER, "hr", "secret")
LEAST = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": "https://keys.example.net/certs?a=b",
}


def fault(**changes: Any) -> tuple[ProviderFault, str]:
    document = {name: value for name, value in {**LEAST, **changes}.items() if value is not ...}
    with pytest.raises(ProviderUnavailable) as caught:
        parse_metadata(PROVIDER, document)
    assert caught.value.detail.startswith(f"{ISSUER}/.well-known/openid-configuration: ")
    return caught.value.fault, caught.value.detail


def test_a_provider_must_say_four_things() -> None:
    assert parse_metadata(PROVIDER, LEAST) == ProviderMetadata(
        f"{ISSUER}/authorize",
        f"{ISSUER}/token",
        "https://keys.example.net/certs?a=b",
        None,
        None,
        BASIC,
        sends_issuer=False,
    )


def test_more_is_read_if_it_is_there() -> None:
    more = {
        "userinfo_endpoint": f"{ISSUER}/me",
        "end_session_endpoint": f"{ISSUER}/logout",
        "token_endpoint_auth_methods_supported": ["private_key_jwt", POST],
        "authorization_response_iss_parameter_supported": True,
        "response_types_supported": ["code", "id_token"],
        "code_challenge_methods_supported": ["S256"],
    }
    found = parse_metadata(PROVIDER, {**LEAST, **more})
    assert (found.userinfo_endpoint, found.end_session_endpoint) == (f"{ISSUER}/me", f"{ISSUER}/logout")
    assert found.client_authentication == POST
    assert found.sends_issuer


@each_row(
    ("issuer", "url"),
    [
        ("https://id.example.com", "https://id.example.com/.well-known/openid-configuration"),
        ("https://id.example.com/", "https://id.example.com/.well-known/openid-configuration"),
        ("https://a.b/realms/hr", "https://a.b/realms/hr/.well-known/openid-configuration"),
        ("https://a.b/t/v2.0/", "https://a.b/t/v2.0/.well-known/openid-configuration"),
    ],
)
def test_the_metadata_is_below_the_issuer(issuer: str, url: str) -> None:
    assert metadata_url(issuer) == url


@each_row(
    "issuer",
    [
        f"{ISSUER}/",
        "HTTPS://id.example.com",
        "https://evil.example.com",
        "https://login.microsoftonline.com/{tenantid}/v2.0",
        "",
        None,
        [ISSUER],
        5,
        ...,
    ],
)
def test_the_issuer_must_be_equal_to_the_byte(issuer: object) -> None:
    found, detail = fault(issuer=issuer)
    assert found is ProviderFault.METADATA
    assert "use exactly the issuer of the provider's metadata" in detail


@each_row(
    ("changes", "expected"),
    [
        ({"token_endpoint": ...}, "token_endpoint: it is missing"),
        ({"jwks_uri": 5}, "jwks_uri: it is missing"),
        ({"authorization_endpoint": [""]}, "authorization_endpoint: it is missing"),
        ({"response_types_supported": ["id_token"]}, "response_types_supported: code is missing"),
        ({"response_types_supported": "code"}, "response_types_supported: code is missing"),
        (
            {"code_challenge_methods_supported": ["plain"]},
            "code_challenge_methods_supported: S256 is missing",
        ),
        ({"token_endpoint_auth_methods_supported": ["private_key_jwt"]}, "neither client_secret_basic nor"),
        ({"token_endpoint_auth_methods_supported": {}}, "neither client_secret_basic nor"),
    ],
)
def test_metadata_that_is_not_enough_is_explained(changes: Mapping[str, Any], expected: str) -> None:
    found, detail = fault(**changes)
    assert found is ProviderFault.METADATA
    assert expected in detail


ENDPOINTS = (
    "authorization_endpoint",
    "token_endpoint",
    "jwks_uri",
    "userinfo_endpoint",
    "end_session_endpoint",
)


@each_row(
    "url",
    [
        "http://id.example.com/a",
        "https://127.0.0.1/a",
        "https://10.0.0.5/a",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/a",
        "https://[::ffff:10.0.0.5]/a",
        "https://me:secret@id.example.com/a",
        "https://id.example.com/a#b",
        "https://id.example.com/a b",
        "https://id.example.com\\@evil.example.com/a",
        "https:///a",
        "https://",
        "//id.example.com/a",
        "/a",
        "",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://id.example.com:0/a",
        "https://id.example.com:99999/a",
        "https://id.example.com:x/a",
        "https://[fe80::1%25eth0]/a",
        "https://exämple.com/a",
        f"https://id.example.com/{'a' * 2048}",
    ],
)
def test_no_address_leads_elsewhere(url: str) -> None:
    for name in ENDPOINTS:
        assert fault(**{name: url})[0] is ProviderFault.ADDRESS, name


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(
    [
        *LEAST,
        *ENDPOINTS,
        "response_types_supported",
        "code_challenge_methods_supported",
        "token_endpoint_auth_methods_supported",
        "authorization_response_iss_parameter_supported",
    ]
)


@settings(max_examples=EXAMPLES)
@given(st.dictionaries(NAMES, JSON | st.from_regex(r"https?://[a-z.\[\]:0-9@/#?%]{0,20}", fullmatch=True)))
def test_metadata_of_any_form_is_read_or_explained(changes: dict[str, Any]) -> None:
    try:
        found = parse_metadata(PROVIDER, {**LEAST, **changes})
    except ProviderUnavailable:
        return
    assert found.token_endpoint.startswith("https://")
    assert found.client_authentication in (BASIC, POST)
