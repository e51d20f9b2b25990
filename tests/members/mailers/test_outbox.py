"""The outbox: complete files that only their owner may read, each announced on the console."""

import stat
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.mail import Mail
from stratabase.members.mailers.message import parse_sender
from stratabase.members.mailers.outbox import Outbox
from stratabase.members.refusals import RecipientRefused

LINK = "http://127.0.0.1:8000/public/administration/setPassword?token=m1.secret"
MAIL = Mail("anna@example.org", "Hr: choose", f"Open this:\n\n{LINK}\n\nGoodbye\n")
SENDER = parse_sender("Hr <no-reply@example.com>")


def send(folder: Path, mail: Mail = MAIL) -> str:
    """Send a mail into a folder, and return its announcement."""
    announced: list[str] = []
    Outbox(folder, SENDER, announced.append).send(mail)
    (announcement,) = announced
    return announcement


def test_a_mail_is_written_as_an_eml_file(tmp_path: Path) -> None:
    send(tmp_path / "home" / "outbox")
    (path,) = (tmp_path / "home" / "outbox").iterdir()
    message = message_from_bytes(path.read_bytes(), policy=default)
    assert path.suffix == ".eml"
    assert (message["To"], message["Subject"]) == ("anna@example.org", "Hr: choose")
    assert LINK in message.get_content()


def test_only_the_owner_may_read_a_mail_file(tmp_path: Path) -> None:
    send(tmp_path / "outbox")
    (path,) = (tmp_path / "outbox").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_mail_is_logged_with_its_file_and_its_link(tmp_path: Path) -> None:
    announcement = send(tmp_path)
    (path,) = tmp_path.iterdir()
    assert announcement == f"A mail to anna@example.org lies in {path}\n  {LINK}"


def test_a_mail_never_overwrites_another(tmp_path: Path) -> None:
    for _ in range(50):
        send(tmp_path)
    assert len(list(tmp_path.glob("*.eml"))) == len(list(tmp_path.iterdir())) == 50


@pytest.mark.parametrize(
    "mail",
    [
        Mail("anna@exämple.org", "Hr\u200b", "Hello"),
        Mail("anna@example.org", "Hr\x1b[2J", "http://a.test/\x1b[2J http://b.test/\u202e"),
    ],
)
def test_an_announcement_of_a_mail_contains_no_control_characters(mail: Mail, tmp_path: Path) -> None:
    assert send(tmp_path, mail).replace("\n", "").isprintable()


def test_an_unwritable_folder_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "outbox").write_text("not a folder")
    with pytest.raises(Unavailable):
        send(tmp_path / "outbox")


def test_a_mail_to_an_invalid_address_is_refused_and_creates_no_folder(tmp_path: Path) -> None:
    with pytest.raises(RecipientRefused):
        send(tmp_path / "outbox", Mail("anna\r\n@example.org", "Hr", "Hello"))
    assert not (tmp_path / "outbox").exists()
