"""The bytes of a mail are one message to one recipient, whatever its texts contain."""

from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import default

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.members.mail import Mail
from stratabase.members.mailers.message import build_message, parse_address, parse_sender
from stratabase.members.refusals import RecipientRefused
from tests.rows import each_row

SENDER = parse_sender("Hr <no-reply@example.com>")
HEADERS = [
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "Auto-Submitted",
    "Content-Type",
    "Content-Transfer-Encoding",
    "MIME-Version",
]


def read(mail: Mail, sender: Address = SENDER) -> EmailMessage:
    """Parse a mail as a recipient's client does."""
    return message_from_bytes(bytes(build_message(mail, sender)), policy=default)


@given(st.text(), st.text())
def test_any_text_becomes_one_message_with_standard_headers(subject: str, text: str) -> None:
    raw = bytes(build_message(Mail("anna@example.org", subject, text), SENDER))
    message = message_from_bytes(raw, policy=default)
    assert message.keys() == HEADERS
    assert (message["To"], message["Auto-Submitted"]) == ("anna@example.org", "auto-generated")
    assert not message.defects
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert raw.replace(b"\r\n", b"").count(b"\n") == 0


@each_row(
    "subject",
    [
        "a\r\nBcc: eve@example.net",
        "a\nBcc: eve@example.net",
        "a\r\n\r\n<script>",
        "a\u2028b",
        "a\x0bb\x00",
        "=?utf-8?q?a=0D=0ABcc=3A_eve=40example.net?=",
        "a =?utf-8?b?DQpCY2M6IGV2ZUBleGFtcGxlLm5ldA==?= b",
    ],
)
def test_a_subject_stays_on_one_line_and_injects_no_header(subject: str) -> None:
    message = read(Mail("anna@example.org", subject, "Hello"))
    assert message["Bcc"] is None
    assert message["Subject"].isprintable()
    assert message.get_content() == "Hello\r\n"


@each_row(
    "text", ["Ciao, è così\n", "日本語 🎉\n", "x" * 5000, "https://example.com/?token=" + "x" * 900, "", "."]
)
def test_a_body_arrives_unchanged(text: str) -> None:
    content = read(Mail("anna@example.org", "Hr", text)).get_content()
    assert content.replace("\r\n", "\n").removesuffix("\n") == text.removesuffix("\n")


def test_a_link_is_readable_in_the_raw_message() -> None:
    link = "https://api.example.com/hr/public/administration/setPassword?token=06gvpbkjcmil0a2peop0.x_-y"
    assert link.encode() in bytes(build_message(Mail("anna@example.org", "Hr", f"Open\n\n{link}\n"), SENDER))


@each_row(
    "to",
    [
        "",
        "anna",
        "anna@",
        "@example.org",
        "anna@example.org\r\nBcc: eve@example.net",
        "anna\n@example.org",
        "anna@example.org\n",
        "anna@example.org> SIZE=1",
        "anna@exa mple.org",
        "anna@" + "x" * 64 + "ä.org",
        "anna@\ud800.org",
        "anna@straße.org",
        "=?utf-8?q?eve=40example.net=2C_anna?=@example.org",
        "=?utf-8?q?anna=0D=0ABcc=3A_eve?=@example.org",
    ],
)
def test_an_invalid_recipient_address_is_refused(to: str) -> None:
    with pytest.raises(RecipientRefused, match=r"isn't a valid address\. Use another one"):
        build_message(Mail(to, "Hr", "Hello"), SENDER)


@each_row(
    ("to", "spelled"),
    [
        ("anna@example.org", "anna@example.org"),
        ("anna@exämple.org", "anna@xn--exmple-cua.org"),
        ('an"na@example.org', '"an\\"na"@example.org'),
        ("eve@example.net,anna@example.org", '"eve@example.net,anna"@example.org'),
        ("admin@localhost", "admin@localhost"),
    ],
)
def test_an_address_is_never_split_into_several(to: str, spelled: str) -> None:
    assert parse_address(to).addr_spec == spelled
    (address,) = read(Mail(to, "Hr", "Hello"))["To"].addresses
    assert address.addr_spec == spelled


@each_row(
    ("text", "name", "address"),
    [
        ("Hr <no-reply@example.com>", "Hr", "no-reply@example.com"),
        ("no-reply@example.com", "", "no-reply@example.com"),
        ('"Rossi, Risorse umane è" <hr@example.com>', "Rossi, Risorse umane è", "hr@example.com"),
        ("Stratabase <no-reply@localhost>", "Stratabase", "no-reply@localhost"),
    ],
)
def test_a_sender_is_parsed_with_and_without_a_display_name(text: str, name: str, address: str) -> None:
    sender = parse_sender(text)
    assert (sender.display_name, sender.addr_spec) == (name, address)
    (read_back,) = read(Mail("anna@example.org", "Hr", "Hello"), sender)["From"].addresses
    assert (read_back.display_name, read_back.addr_spec) == (name, address)


@each_row(
    "text",
    [
        "",
        "Hr",
        "Hr <>",
        "a@b.c, d@e.f",
        "Hr <a@b.c>\r\nBcc: d@e.f",
        "\ud800@b.c",
        "=?utf-8?q?Hr=0D=0ABcc=3A_eve?= <a@b.c>",
    ],
)
def test_a_text_without_a_sender_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Use the address of a sender, such as"):
        parse_sender(text)
