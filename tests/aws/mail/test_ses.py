"""Mail by SES, against a mocked AWS and an unreachable one."""

from collections.abc import Iterator
from email import message_from_string
from email.policy import default
from typing import Any

import pytest
from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sesv2.models import sesv2_backends

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.mail import Mail
from stratabase.members.mailers.message import parse_sender
from stratabase.members.refusals import RecipientRefused
from stratabase_aws.mail.ses import SesMailer

REGION = "eu-south-1"
SENDER = parse_sender("Risorse umane è <no-reply@example.com>")
MAIL = Mail("anna@exämple.org", "Hr: così", "Ciao, è qui:\nhttps://example.com/?token=m1.x\n")


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


@pytest.fixture
def ses() -> Iterator[Any]:
    with mock_aws():
        backend = sesv2_backends[DEFAULT_ACCOUNT_ID][REGION]
        backend.core_backend.verify_email_identity("no-reply@example.com")
        yield backend


def test_a_mail_arrives_unchanged(ses: Any) -> None:
    SesMailer(REGION, SENDER).send(MAIL)
    (sent,) = ses.core_backend.sent_messages
    message = message_from_string(sent.raw_data, policy=default)
    assert (sent.source, set(sent.destinations)) == ("no-reply@example.com", {"anna@xn--exmple-cua.org"})
    assert message["From"].addresses[0].display_name == "Risorse umane è"
    assert (message["Subject"], message["Auto-Submitted"]) == ("Hr: così", "auto-generated")
    assert message.get_content().replace("\r\n", "\n") == MAIL.text


def test_an_unverified_sender_is_unavailable(ses: Any) -> None:
    with pytest.raises(Unavailable) as caught:
        SesMailer(REGION, parse_sender("other@example.net")).send(MAIL)
    assert str(caught.value) == "The email couldn't be sent."


@pytest.mark.parametrize(
    ("to", "reason"),
    [
        ("müller@example.org", "only ASCII characters before the @"),
        ("anna\r\n@example.org", "isn't a valid address"),
        ("nobody", "isn't a valid address"),
    ],
)
def test_an_address_that_ses_cannot_take_is_reported(to: str, reason: str, ses: Any) -> None:
    with pytest.raises(RecipientRefused, match=reason):
        SesMailer(REGION, SENDER).send(Mail(to, "Hr", "Ciao"))
    assert ses.core_backend.sent_messages == []


def test_an_unreachable_endpoint_is_unavailable() -> None:
    with pytest.raises(Unavailable):
        SesMailer(REGION, SENDER, "http://127.0.0.1:1").send(MAIL)
