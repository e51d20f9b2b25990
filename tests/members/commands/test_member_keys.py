"""`stratabase members` makes keys for programs, and lists and ends those of all members."""

from stratabase.members.key_text import member_of_key
from tests.cli.members_terminal import Terminal


def test_a_program_gets_keys_which_are_listed_and_ended(ada: Terminal) -> None:
    ada.done("create-program", "importer", "Manager")
    assert ada.done("keys", "importer") == '"importer" has no API keys.\n'
    text = ada.done(
        "create-key",
        "Importer",
        "nightly import",
        "--days",
        "90",
        "--profile",
        "Reporter",
        "--network",
        "203.0.113.0/24",
        "--network",
        "2001:db8::/32",
    )
    assert member_of_key(text.removesuffix("\n"))
    ada.done("create-key", "importer", "other", "--expires", "9999-12-31")
    head, first, second = ada.done("keys", "importer").splitlines()
    assert head.split() == ["ID", "NAME", "EXPIRES", "LAST", "USED", "PROFILE", "NETWORKS"]
    assert first.split()[1:3] == ["nightly", "import"]
    assert first.split()[4:] == ["never", "Reporter", "203.0.113.0/24", "2001:db8::/32"]
    assert second.split()[1:] == ["other", "9999-12-31T00:00:00.000Z", "never", "Manager", "any"]
    assert text.strip() not in ada.done("keys", "importer")
    assert 'Ended the API key "nightly import" of "importer"' in ada.done(
        "end-key", "importer", "Nightly Import"
    )
    assert 'Ended the API key "other"' in ada.done("end-key", "importer", second.split()[0])
    assert "no API key with this ID" in ada.refused("end-key", "importer", "other")


def test_a_terminal_makes_no_keys_for_persons(ada: Terminal) -> None:
    assert '"ada" is a person, who makes their own API keys' in ada.refused("create-key", "ada", "x")
    ada.done("create-program", "importer", "Manager")
    for wrong in (["--profile", "Administrator"], ["--days", "0"], ["--network", "nowhere"]):
        assert "must" in ada.refused("create-key", "importer", "x", *wrong)
