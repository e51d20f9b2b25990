"""`stratabase members` offers locally what administrators do by REST."""

import io
from contextlib import closing
from dataclasses import replace
from email import message_from_bytes, policy

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from stratabase.core.store.ids import least_id
from stratabase.members.app.member_services import MemberServices
from stratabase.members.commands.members import mail_base_url
from stratabase.members.stores.sqlite_audit import SqliteAuditTrail
from stratabase.members.stores.sqlite_members import SqliteMembers
from stratabase.terminal.command_error import CommandError
from tests.cli.members_terminal import PASSWORD, Terminal
from tests.repository import ROOT
from tests.rows import each_row
from tests.service import free_port


def test_an_address_is_set_without_being_confirmed(ada: Terminal) -> None:
    said = ada.done("set-email", "ADA", "ada@example.org")
    assert said == 'Changed the email address of "ada" to ada@example.org.\n'
    assert ada.done("list").split()[:2] == ["ada", "ada@example.org"]
    assert ada.mails() == []
    assert "must be an email address" in ada.refused("set-email", "ada", "nowhere")


def test_no_member_exists_at_first(terminal: Terminal) -> None:
    assert "doesn't exist. Set STRATABASE_HOME" in terminal.refused("list")
    terminal.home.mkdir()
    (terminal.home / "objects.db").touch()
    assert terminal.done("list") == "No members exist.\n"


def test_the_first_administrator_can_be_created_without_mail(ada: Terminal) -> None:
    assert ada.done("list").split()[:3] == ["ada", "ada@example.com", "Administrator"]
    assert ada.mails() == []


def test_a_new_member_is_mailed_a_link_and_listed_without_a_password(ada: Terminal) -> None:
    printed = ada.done("create", "rosa", "rosa@example.com", "Member", "--language", "it")
    assert printed.endswith("Sent an email to rosa@example.com.\n")
    assert ada.mails() == ["rosa@example.com"]
    assert ada.done("list").splitlines()[1].endswith("no password")


def test_a_program_is_created_without_a_mail(ada: Terminal) -> None:
    assert 'Created the program "importer" with the ID' in ada.done("create-program", "importer", "Manager")
    assert ada.mails() == []
    (_, listed) = ada.done("list").splitlines()
    assert listed.split()[:2] == ["importer", "Manager"]
    assert listed.endswith("program")
    for command in (["set-email", "importer", "a@example.com"], ["reset-password", "importer"]):
        assert "program" in ada.refused(*command)
    assert "a program has none" in ada.refused("set-password", "importer", typed=f"{PASSWORD}\n")
    assert "must be a profile of the model" in ada.refused("create-program", "another", "Nobody")


def test_a_member_is_changed_by_name_in_any_case(ada: Terminal) -> None:
    ada.done("create", "rosa", "rosa@example.com", "Member")
    assert 'Changed the profile of "rosa" to Manager.' in ada.done("set-profile", "ROSA", "Manager")
    assert 'Disabled "rosa"' in ada.done("disable", "Rosa")
    assert ada.done("list").splitlines()[1].endswith("disabled")
    assert 'Enabled "rosa".' in ada.done("enable", "rosa")
    assert 'Changed the password of "rosa".' in ada.done("set-password", "rosa", typed=f"{PASSWORD}\n")
    assert "Sent an email to rosa@example.com" in ada.done("reset-password", "rosa")
    assert ada.done("delete", "rosa") == 'Deleted "rosa".\n'
    assert len(ada.done("list").splitlines()) == 1


def test_changes_by_commands_are_in_the_audit_trail(ada: Terminal) -> None:
    ada.done("create", "rosa", "rosa@example.com", "Member", "--ask-password", typed=f"{PASSWORD}\n")
    ada.done("set-profile", "rosa", "Manager")
    ada.done("disable", "rosa")
    with closing(SqliteMembers(ada.home / "members.db")) as members:
        page = SqliteAuditTrail(members.file).page(least_id(0))
    found = [(each.kind.value, each.actor, each.way, each.address) for each in page.entries]
    of_rosa = ["memberDisabled", "profileChanged", "passwordChanged", "memberCreated"]
    kinds = [*of_rosa, "passwordChanged", "memberCreated"]
    assert found == [(kind, "", "command", "") for kind in kinds]


@each_row(
    ("arguments", "typed", "said"),
    [
        (["create", "ada", "a@example.com", "Member"], "", 'Another member already has this "username"'),
        (["create", "b", "nowhere", "Boss"], "", "must be a profile of the model"),
        (["create", "b", "b@example.com", "Member", "--ask-password"], "short\n", "at least 15 characters"),
        (["set-profile", "ada", "Member"], "", "is the only active administrator"),
        (["disable", "ada"], "", "is the only active administrator"),
        (["delete", "ada"], "", "is the only active administrator"),
        (["delete", "bob"], "", 'Member "bob" does not exist'),
        (["set-password", "ada"], "ada@example.com\n", "password"),
    ],
)
def test_an_invalid_change_is_refused_and_changes_nothing(
    arguments: list[str], typed: str, said: str, ada: Terminal
) -> None:
    before = ada.done("list")
    assert said in ada.refused(*arguments, typed=typed)
    assert ada.done("list") == before


def test_a_printed_link_sets_the_password_and_no_email_is_sent(
    ada: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATABASE_BASE_URL", "https://hr.example.com/live")
    created = ada.done("create", "rosa", "rosa@example.com", "Member", "--print-link").splitlines()
    again = ada.done("reset-password", "rosa", "--print-link").splitlines()
    assert ada.mails() == []
    instance = App(replace(Settings(), home=ada.home, model=ROOT / "layers/model/model.graphql"))
    try:
        for link in (created[-1], again[-1]):
            address, _, token = link.partition("?token=")
            assert address == "https://hr.example.com/live/public/administration/setPassword"
            assert instance.part(MemberServices).password_reset.inspect(token).username == "rosa"
        instance.part(MemberServices).password_reset.finish(token, PASSWORD)
    finally:
        instance.close()
    assert "no password" not in ada.done("list").splitlines()[1]


def test_the_link_leads_to_the_service(ada: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATABASE_BASE_URL", "https://hr.example.com/live")
    ada.done("reset-password", "ada")
    (mail,) = (ada.home / "outbox").glob("*.eml")
    body = message_from_bytes(mail.read_bytes(), policy=policy.SMTP).get_content()
    assert "https://hr.example.com/live/public/administration/setPassword?token=" in body


@pytest.mark.parametrize("how", [(), ("--print-link",)], ids=["email", "printed"])
def test_the_address_of_a_link_is_named_unless_it_is_configured(
    ada: Terminal, monkeypatch: pytest.MonkeyPatch, how: tuple[str, ...]
) -> None:
    """Another terminal may not have the PORT of `serve`."""
    monkeypatch.setenv("PORT", "8123")
    for command in (("reset-password", "ada"), ("create", "rosa", "rosa@example.com", "Member")):
        code, _, errors = ada.run(*command, *how)
        assert (code, "The link leads to http://127.0.0.1:8123." in errors) == (0, True)
    monkeypatch.setenv("STRATABASE_BASE_URL", "https://hr.example.com/live")
    assert "The link leads to" not in ada.run("reset-password", "ada", *how)[2]


def test_a_deployment_needs_the_address_of_the_service() -> None:
    """A wrong link would be worse than none."""
    with pytest.raises(CommandError, match="STRATABASE_BASE_URL is required"):
        mail_base_url(Settings(store="dynamodb"))


@each_row(
    ("host", "root"),
    [
        ("127.0.0.1", "http://127.0.0.1:8123"),
        ("0.0.0.0", "http://127.0.0.1:8123"),
        ("::", "http://[::1]:8123"),
        ("hr.internal", "http://hr.internal:8123"),
    ],
)
def test_a_local_link_leads_to_the_port_of_the_service(host: str, root: str) -> None:
    assert mail_base_url(Settings(host=host, port=8123)) == root


def test_a_mail_link_needs_a_fixed_port() -> None:
    with pytest.raises(CommandError, match="PORT: 0 means any free port"):
        mail_base_url(Settings(port=0))


def test_a_password_that_is_not_text_is_reported(ada: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe phrase\n"), encoding="utf-8"))
    assert main(["members", "set-password", "ada"]) == 1


@pytest.mark.parametrize("end", [EOFError, KeyboardInterrupt])
def test_an_interrupted_password_prompt_changes_nothing(
    end: type[BaseException],
    ada: Terminal,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def leave(_: str) -> str:
        raise end

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", leave)
    assert main(["members", "set-password", "ada"]) == 1
    assert capsys.readouterr().err == "\nNo password entered. The password is unchanged.\n"


def test_an_invalid_sender_is_reported(ada: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATABASE_MAIL_FROM", "nobody")
    assert ada.refused("reset-password", "ada").startswith('STRATABASE_MAIL_FROM: "nobody" is not valid.')


def test_the_reason_of_a_failure_is_reported(ada: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a person at the machine sees the cause, not a client of the service."""
    monkeypatch.setenv("STRATABASE_MAIL", "smtp")
    monkeypatch.setenv("STRATABASE_SMTP", f"smtp://127.0.0.1:{free_port()}")
    said = ada.refused("reset-password", "ada")
    assert said.startswith("The email couldn't be sent. (")
    assert "refused" in said
