"""The document with the settings of providers: what it takes, and how each mistake in it is named."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.core.model.model import Profile
from stratabase.members.providers.addresses import Reach
from stratabase.members.providers.document import MAX_DOCUMENT_BYTES, BadProviders, parse_providers
from stratabase.members.providers.provider import AccessTokenRule, ProfileTable, Provider
from tests.rows import each_row
from tests.soak import EXAMPLES

PROFILES = {
    each.name: each
    for each in (Profile("Administrator", administrator=True), Profile("Manager"), Profile("Member"))
}
SECRET = "a secret that no message may show"
LEAST: dict[str, Any] = {
    "name": "corp",
    "label": "Example Inc.",
    "issuer": "https://id.example.com",
    "clientId": "hr",
    "clientSecret": SECRET,
}


def parse(*providers: Mapping[str, Any]) -> tuple[Provider, ...]:
    return parse_providers(json.dumps({"providers": providers}), PROFILES)


def mistakes(text: str | bytes) -> tuple[str, ...]:
    with pytest.raises(BadProviders) as caught:
        parse_providers(text, PROFILES)
    assert SECRET not in str(caught.value)
    assert SECRET not in repr(caught.value.__cause__)
    return caught.value.mistakes


def mistakes_of(**changes: Any) -> tuple[str, ...]:
    fields = {name: value for name, value in {**LEAST, **changes}.items() if value is not ...}
    return mistakes(json.dumps({"providers": [fields]}))


def test_a_provider_needs_five_fields() -> None:
    (provider,) = parse(LEAST)
    assert provider == Provider("corp", "Example Inc.", "https://id.example.com", "hr", SECRET)
    assert provider.scopes == ("openid", "profile", "email")
    assert not provider.creates_members
    assert provider.reach is Reach.PUBLIC


def test_every_field_can_be_set() -> None:
    (provider,) = parse(
        {
            **LEAST,
            "scopes": ["openid", "groups"],
            "usernameClaim": ["person", "login"],
            "profiles": {
                "claim": "https://example.com/roles",
                "values": {"lead": "Manager", "root": "Administrator"},
                "default": "Member",
            },
            "createsMembers": True,
            "mayBePrivate": True,
            "accessTokens": {
                "audienceClaim": "client_id",
                "audience": "hr-program",
                "mark": {"claim": "token_use", "value": "access"},
            },
        }
    )
    assert provider == Provider(
        "corp",
        "Example Inc.",
        "https://id.example.com",
        "hr",
        SECRET,
        ("openid", "groups"),
        ("person", "login"),
        ProfileTable(
            ("https://example.com/roles",), (("lead", "Manager"), ("root", "Administrator")), "Member"
        ),
        creates_members=True,
        may_be_private=True,
        access_tokens=AccessTokenRule("hr-program", "client_id", "token_use", "access"),
    )
    assert provider.reach is Reach.PRIVATE


def test_a_standard_mark_needs_no_claim() -> None:
    (provider,) = parse({**LEAST, "accessTokens": {"audience": "https://api.example.com", "mark": "at+jwt"}})
    assert provider.access_tokens == AccessTokenRule("https://api.example.com")


def test_a_provider_on_this_machine_is_for_trying() -> None:
    for issuer in ("http://127.0.0.1:8080/realms/hr", "http://localhost", "http://[::1]:1"):
        (provider,) = parse({**LEAST, "issuer": issuer, "mayBePrivate": True})
        assert provider.reach is Reach.LOOPBACK


@each_row(
    ("changes", "expected"),
    [
        ({"name": ...}, 'providers[0]: the field "name" is missing'),
        ({"clientSecret": ...}, 'providers[0]: the field "clientSecret" is missing'),
        ({"secret": SECRET}, 'providers[0]: the field "secret" is unknown; use accessTokens, clientId, '),
        ({"name": "Corp"}, "providers[0].name: use 1 to 32 lowercase letters, digits and hyphens"),
        ({"name": "password"}, "providers[0].name: use 1 to 32 lowercase letters"),
        ({"name": "a" * 33}, "providers[0].name: use 1 to 32 lowercase letters"),
        ({"name": "corp\n"}, "providers[0].name: use 1 to 32 lowercase letters"),
        ({"name": 5}, "providers[0].name: use 1 to 32 lowercase letters"),
        ({"label": " "}, "providers[0].label: use a text of 1 to 60 characters"),
        ({"label": "a\u202eb"}, "providers[0].label: use a text of 1 to 60 characters"),
        ({"issuer": "id.example.com"}, "providers[0].issuer: it is not an address such as https://"),
        ({"issuer": ""}, "providers[0].issuer: use an address such as https://id.example.com"),
        ({"issuer": "http://id.example.com"}, "providers[0].issuer: it is not encrypted; use https"),
        ({"issuer": "http://127.0.0.1"}, "providers[0].issuer: it is not encrypted; use https"),
        ({"issuer": "https://127.0.0.1"}, "providers[0].issuer: 127.0.0.1 is this machine"),
        (
            {"issuer": "https://10.1.2.3"},
            "providers[0].issuer: 10.1.2.3 is a private address; set mayBePrivate if this is right",
        ),
        (
            {"issuer": "https://169.254.169.254", "mayBePrivate": True},
            "providers[0].issuer: 169.254.169.254 is not an address of the internet",
        ),
        ({"issuer": "https://a@id.example.com"}, "providers[0].issuer: it has a username or a fragment"),
        ({"issuer": "https://id.example.com#a"}, "providers[0].issuer: it has a username or a fragment"),
        ({"issuer": "https://id.example.com?a=b"}, "providers[0].issuer: it has a query"),
        (
            {"issuer": "https://login.microsoftonline.com/common/v2.0"},
            "providers[0].issuer: it stands for many tenants; use the address with the ID of your tenant",
        ),
        (
            {"issuer": "https://login.microsoftonline.com/{tenantid}/v2.0"},
            "providers[0].issuer: it stands for many tenants",
        ),
        ({"clientSecret": f"{SECRET}\n"}, "providers[0].clientSecret: use a text of 1 to 2,048 printable"),
        ({"clientId": ""}, "providers[0].clientId: use a text of 1 to 2,048 printable"),
        ({"scopes": []}, "providers[0].scopes: use a list of 1 to 30"),
        ({"scopes": "openid"}, "providers[0].scopes: use a list of 1 to 30"),
        ({"scopes": ["openid", "a b"]}, "providers[0].scopes[1]: use a scope such as email, without spaces"),
        ({"scopes": ["email"]}, "providers[0].scopes: openid is missing"),
        ({"usernameClaim": []}, "providers[0].usernameClaim: use a list of 1 to 8"),
        ({"usernameClaim": ["a", 5]}, "providers[0].usernameClaim[1]: use the name of a claim"),
        ({"createsMembers": "yes"}, "providers[0].createsMembers: use true or false"),
        ({"createsMembers": True}, "providers[0].createsMembers: new members need a profile; add profiles"),
        ({"mayBePrivate": None}, "providers[0].mayBePrivate: use true or false"),
        ({"profiles": {}}, "providers[0].profiles: it gives nobody a profile; add claim and values"),
        ({"profiles": {"claim": "groups"}}, "providers[0].profiles: claim and values belong together"),
        (
            {"profiles": {"default": "Administrator"}},
            "providers[0].profiles.default: Administrator is the profile of administrators; use one that is",
        ),
        (
            {"profiles": {"default": "Nobody"}},
            "providers[0].profiles.default: use a profile of the model: Administrator, Manager, Member",
        ),
        (
            {"profiles": {"claim": "groups", "values": {"hr": "Boss"}}},
            'providers[0].profiles.values["hr"]: use a profile of the model: Administrator, Manager',
        ),
        ({"profiles": {"claim": "groups", "values": []}}, "providers[0].profiles.values: use an object"),
        ({"accessTokens": {}}, 'providers[0].accessTokens: the field "audience" is missing'),
        ({"accessTokens": {"audience": "a", "mark": "jwt"}}, 'accessTokens.mark: use "at+jwt", or an object'),
        (
            {"accessTokens": {"audience": "a", "mark": {"claim": "azp"}}},
            "accessTokens.mark: ID tokens have the claim azp, too; add its value, or use another claim",
        ),
        (
            {"accessTokens": {"audience": "hr", "mark": {"claim": "scp"}}},
            "accessTokens.audience: ID tokens have the same audience; use another one, a mark with a value",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place_and_what_is_right(
    changes: Mapping[str, Any], expected: str
) -> None:
    found = mistakes_of(**changes)
    assert any(expected in each for each in found), found


def test_all_mistakes_are_named_at_once() -> None:
    second = {**LEAST, "name": "Second", "label": ""}
    found = mistakes(json.dumps({"providers": [{**LEAST, "issuer": 5}, second], "more": 1}))
    assert [each.partition(":")[0] for each in found] == [
        "the document",
        "providers[0].issuer",
        "providers[1].name",
        "providers[1].label",
    ]


def test_providers_differ_in_name_and_issuer() -> None:
    found = mistakes(
        json.dumps({"providers": [LEAST, {**LEAST, "name": "b"}, {**LEAST, "issuer": "https://a.b"}]})
    )
    assert found == (
        'providers: several have the name "corp"; each must have its own',
        'providers: several have the issuer "https://id.example.com"; each must have its own',
    )


@each_row(
    ("text", "expected"),
    [
        ("", "the document is not JSON: line 1, column 1"),
        ('{\n "providers": x}', "the document is not JSON: line 2, column 15"),
        (b"\xff", "the document is not JSON: byte 0 is not UTF-8"),
        ("[" * 60_000, "the document is not JSON: it is nested too deeply, or has a number that is too long"),
        (
            f'{{"providers": {"9" * 5000}}}',
            "the document is not JSON: it is nested too deeply, or has a number",
        ),
        (" " * (MAX_DOCUMENT_BYTES + 1), "the document has more than 65,536 bytes"),
        ("[]", "the document: use an object"),
        ("{}", 'the document: the field "providers" is missing'),
        ('{"providers": []}', "providers: use a list of 1 to 50"),
        ('{"providers": [5]}', "providers[0]: use an object"),
        ('{"providers": [], "providers": []}', 'the field "providers" occurs twice in one object'),
    ],
)
def test_a_document_that_can_not_be_read_is_explained(text: str | bytes, expected: str) -> None:
    assert any(each.startswith(expected) for each in mistakes(text))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    [*LEAST, "scopes", "usernameClaim", "profiles", "createsMembers", "accessTokens", "other"]
)


@settings(max_examples=EXAMPLES)
@given(st.dictionaries(FIELDS, JSON))
def test_a_random_field_is_taken_or_named(changes: dict[str, Any]) -> None:
    try:
        (provider,) = parse({**LEAST, **changes})
    except BadProviders:
        found = mistakes_of(**changes)
        assert all(each.startswith("providers[0]") for each in found)
        assert all(any(name in each for name in changes) for each in found), found
    else:
        assert provider.profiles is None or provider.profiles.default != "Administrator"
        assert "openid" in provider.scopes


@settings(max_examples=EXAMPLES)
@given(st.text() | st.binary() | JSON.map(json.dumps))
def test_any_text_is_read_or_explained(text: str | bytes) -> None:
    with pytest.raises(BadProviders):
        parse_providers(text, PROFILES)
