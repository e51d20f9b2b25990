"""Mail by SMTP, against a server over real sockets."""

import base64
import smtplib
import socket
import ssl
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.mail import Mail
from stratabase.members.mailers.message import parse_sender
from stratabase.members.mailers.smtp import SmtpMailer, parse_smtp_url
from stratabase.members.refusals import RecipientRefused
from tests.aws.dynamodb.certificate import make_certificate
from tests.members.mailers.server import Server, serving
from tests.rows import each_row

SENDER = parse_sender("Hr <no-reply@example.com>")
MAIL = Mail("anna@example.org", "Hr: choose", "Hello\n.\nQUIT\n")


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("certificate") / "server.pem"
    make_certificate(path)
    return path


def send(
    server: Server,
    mail: Mail = MAIL,
    *,
    user: str = "",
    scheme: str = "smtp",
    trusted: Path | None = None,
    timeout: float = 20,
) -> None:
    """Send a mail to a server, by the address that names it."""
    url = f"{scheme}://{user}127.0.0.1:{server.port}"
    trust = ssl.create_default_context(cafile=trusted) if trusted else None
    SmtpMailer(parse_smtp_url(url), SENDER, timeout, trust).send(mail)


def plain(username: str, password: str) -> str:
    credentials = f"\0{username}\0{password}".encode()
    return f"AUTH PLAIN {base64.b64encode(credentials).decode()}"


def test_a_mail_arrives_unchanged() -> None:
    with serving(Server()) as server:
        send(server)
    (mail,) = server.mails
    message = message_from_bytes(mail, policy=default)
    assert (message["To"], message["From"], message["Subject"]) == (
        "anna@example.org",
        "Hr <no-reply@example.com>",
        "Hr: choose",
    )
    assert message.get_content().splitlines() == ["Hello", ".", "QUIT"]
    assert server.commands_of("MAIL") == ["MAIL FROM:<no-reply@example.com>"]
    assert server.commands_of("RCPT") == ["RCPT TO:<anna@example.org>"]
    assert server.commands_of("EHLO") == ["ehlo example.com"]
    assert server.commands_of("QUIT")


def test_starttls_is_used_where_the_server_offers_it(certificate: Path) -> None:
    with serving(Server(offers=("STARTTLS",), certificate=certificate)) as server:
        send(server, trusted=certificate)
    unencrypted = [command for private, command in server.commands if not private]
    assert unencrypted == ["ehlo example.com", "STARTTLS"]
    assert len(server.mails) == 1


def test_a_server_may_use_implicit_tls(certificate: Path) -> None:
    with serving(Server(certificate=certificate, encrypted=True)) as server:
        send(server, scheme="smtps", trusted=certificate)
    assert len(server.mails) == 1
    assert all(private for private, _ in server.commands)


@pytest.mark.parametrize(
    ("scheme", "options"),
    [("smtp", {"offers": ("STARTTLS", "AUTH PLAIN")}), ("smtps", {"encrypted": True})],
)
def test_a_server_with_an_untrusted_certificate_receives_nothing(
    scheme: str, options: dict[str, Any], certificate: Path
) -> None:
    with serving(Server(certificate=certificate, **options)) as server, pytest.raises(Unavailable):
        send(server, scheme=scheme, user="me:secret@")
    assert [command for command in server.commands if command[1][:4].upper() not in ("EHLO", "STAR")] == []
    assert server.mails == []


def test_a_refused_starttls_sends_nothing_unencrypted(certificate: Path) -> None:
    refusing = Server(offers=("STARTTLS",), answers={"STARTTLS": "454 not now"})
    with serving(refusing) as server, pytest.raises(Unavailable):
        send(server)
    assert server.commands_of("MAIL") == []


def test_the_name_and_the_password_are_decoded() -> None:
    with serving(Server(offers=("AUTH PLAIN",))) as server:
        send(server, user="me%40example.com:p%3Aa%2Fs%25s%40@")
    assert server.commands_of("AUTH") == [plain("me@example.com", "p:a/s%s@")]
    assert len(server.mails) == 1


def test_a_password_may_be_any_text() -> None:
    with serving(Server(offers=("AUTH PLAIN",))) as server:
        send(server, user="m%C3%A9:p%C3%A4ss%E2%82%AC@")
    assert server.commands_of("AUTH") == [plain("mé", "päss€")]


@each_row("user", ["me:secret@", "m%C3%A9:secret@"])
def test_a_refused_password_is_unavailable_and_not_shown(user: str) -> None:
    refusing = Server(offers=("AUTH PLAIN",), answers={"AUTH": "535 no"})
    with serving(refusing) as server, pytest.raises(Unavailable) as caught:
        send(server, user=user)
    assert server.mails == []
    assert "secret" not in repr(caught.value.__cause__)


class Elsewhere(socket.socket):
    """A connection that claims to lead to another machine."""

    def getpeername(self) -> Any:
        return ("192.0.2.1", 587)


@pytest.mark.parametrize("user", ["me:secret@", "m%C3%A9:secret@"])
def test_a_password_is_not_sent_unencrypted_to_another_machine(
    user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(_: smtplib.SMTP, host: str, port: int, timeout: float) -> socket.socket:
        connection = Elsewhere(fileno=socket.create_connection((host, port), timeout).detach())
        connection.settimeout(timeout)
        return connection

    monkeypatch.setattr(smtplib.SMTP, "_get_socket", connect)
    with serving(Server(offers=("AUTH PLAIN LOGIN",))) as server, pytest.raises(Unavailable) as caught:
        send(server, user=user)
    assert "not sent" in repr(caught.value.__cause__)
    assert server.commands_of("AUTH") + server.commands_of("MAIL") == []


@each_row(
    "answers",
    [
        {"CONNECT": "554 go away"},
        {"CONNECT": "no SMTP at all"},
        {"MAIL": "550 not you"},
        {"RCPT": "451 later"},
        {"RCPT": "450 4.1.1 not known yet"},
        {"RCPT": "550 5.7.1 no relaying"},
        {"RCPT": "530 5.7.0 log in first"},
        {"RCPT": "530 log in first"},
        {"RCPT": "554 no"},
        {"DATA": "554 no"},
        {"MAIL TAKEN": "552 too much"},
    ],
)
def test_a_mail_that_the_server_refuses_is_unavailable(answers: dict[str, str]) -> None:
    with serving(Server(answers=answers)) as server, pytest.raises(Unavailable) as caught:
        send(server)
    assert str(caught.value) == "The email couldn't be sent."


@each_row(
    ("reply", "shown"),
    [
        ("550 nobody here", "550 nobody here"),
        ("550 5.1.1 <a@b>: User unknown.", "550 5.1.1 <a@b>: User unknown"),
        ("553 5.6.7 no such characters", "553 5.6.7 no such characters"),
        ("552 5.2.2 full", "552 5.2.2 full"),
        ("556 ", "556"),
        ("550-one\r\n550 two\x07\x1b[31m", "550 one two  [31m"),
        ("551 " + "x" * 900, "551 " + "x" * 196),
    ],
)
def test_a_recipient_that_the_server_refuses_is_reported_with_its_reply(reply: str, shown: str) -> None:
    with serving(Server(answers={"RCPT": reply})) as server, pytest.raises(RecipientRefused) as caught:
        send(server)
    assert str(caught.value) == (
        f'The email server takes no email for this "email": {shown}. Use another address.'
    )
    assert [mistake.field for mistake in caught.value.mistakes] == ["email"]


@each_row("verb", ["CONNECT", "EHLO", "DATA", "MAIL TAKEN"])
def test_a_server_that_does_not_answer_times_out(verb: str) -> None:
    with serving(Server(answers={verb: None})) as server, pytest.raises(Unavailable):
        send(server, timeout=0.05)


@each_row("goodbye", ["421 whatever", None])
def test_a_failure_after_the_mail_is_accepted_is_ignored(goodbye: str | None) -> None:
    with serving(Server(answers={"QUIT": goodbye})) as server:
        send(server, timeout=0.5)
    assert len(server.mails) == 1


def test_an_unreachable_server_is_unavailable() -> None:
    with serving(Server()) as server:
        pass
    with pytest.raises(Unavailable):
        send(server)


def test_a_non_ascii_address_needs_a_server_that_supports_smtputf8() -> None:
    mail = Mail("müller@example.org", "Hr", "Hello")
    with (
        serving(Server()) as server,
        pytest.raises(RecipientRefused, match="supports only ASCII characters before the @"),
    ):
        send(server, mail)
    with serving(Server(offers=("SMTPUTF8", "8BITMIME"))) as server:
        send(server, mail)
    assert server.commands_of("RCPT") == ["RCPT TO:<müller@example.org>"]
    assert "To: müller@example.org".encode() in server.mails[0]


def test_a_non_ascii_domain_is_sent_to_any_server() -> None:
    with serving(Server()) as server:
        send(server, Mail("anna@exämple.org", "Hr", "Hello"))
    assert server.commands_of("RCPT") == ["RCPT TO:<anna@xn--exmple-cua.org>"]


@each_row(
    ("url", "host", "port", "encrypted"),
    [
        ("smtp://mail.example.com", "mail.example.com", 587, False),
        ("smtps://mail.example.com", "mail.example.com", 465, True),
        ("smtp://[::1]:25/", "::1", 25, False),
    ],
)
def test_the_url_of_a_server_is_parsed_with_default_ports(
    url: str, host: str, port: int, encrypted: bool
) -> None:
    assert parse_smtp_url(url)[:4] == (host, port, encrypted, None)


def test_the_password_is_not_in_the_repr_of_a_server() -> None:
    assert "secret" not in repr(parse_smtp_url("smtp://me:secret@mail.example.com"))
