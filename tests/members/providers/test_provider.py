"""The settings of a provider give each person a username and a profile."""

from stratabase.members.providers.provider import ClaimPath, ClaimValues, ProfileTable, Provider, find_claim
from tests.rows import each_row

TABLE = ProfileTable(("groups",), (("hr", "Manager"), ("it", "Administrator"), ("true", "Tester")), "Member")


@each_row(
    ("claims", "profile"),
    [
        ({"groups": ["hr"]}, "Manager"),
        ({"groups": "it"}, "Administrator"),
        ({"groups": ["it", "hr"]}, "Manager"),  # the first row decides, not the order of the claim
        ({"groups": ["HR"]}, "Member"),
        ({"groups": True}, "Tester"),
        ({"groups": {"hr": True}}, "Member"),
        ({"groups": [["hr"], None, 1.5]}, "Member"),
        ({"groups": []}, "Member"),
        ({"groups": None}, "Member"),
        ({}, "Member"),
    ],
)
def test_the_first_row_that_matches_decides_about_the_profile(claims: ClaimValues, profile: str) -> None:
    assert TABLE.profile_of(claims) == profile


def test_without_a_default_nobody_gets_a_profile_whom_no_row_matches() -> None:
    assert ProfileTable(("groups",), (("hr", "Manager"),)).profile_of({"groups": ["it"]}) is None


def test_without_a_claim_everybody_gets_the_default() -> None:
    assert ProfileTable(default="Member").profile_of({"groups": ["hr"]}) == "Member"


def test_numbers_are_compared_as_they_are_written() -> None:
    assert ProfileTable(("level",), (("3", "Manager"),)).profile_of({"level": 3}) == "Manager"


@each_row(
    ("claims", "path", "found"),
    [
        ({"realm_access": {"roles": ["a"]}}, ("realm_access", "roles"), ["a"]),
        ({"realm_access.roles": "a"}, ("realm_access", "roles"), None),
        ({"https://example.com/roles": "a"}, ("https://example.com/roles",), "a"),
        ({"realm_access": ["roles"]}, ("realm_access", "roles"), None),
        ({"realm_access": None}, ("realm_access", "roles"), None),
        ({}, ("sub",), None),
    ],
)
def test_claims_are_found_by_their_path(claims: ClaimValues, path: ClaimPath, found: object) -> None:
    assert find_claim(claims, path) == found


PROVIDER = Provider("corp", "Example Inc.", "https://id.example.com", "hr", "a secret of the client")


@each_row("name", ["", None, 5, True, ["ada"], {"name": "ada"}])
def test_only_a_text_is_a_username(name: object) -> None:
    assert PROVIDER.username_of({"preferred_username": name}) is None
    assert PROVIDER.username_of({"preferred_username": "ada"}) == "ada"


def test_the_secret_of_the_client_is_not_shown() -> None:
    assert "a secret" not in repr(PROVIDER)
