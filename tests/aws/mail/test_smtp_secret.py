"""An SMTP server whose address and password are in a secret."""

from email.headerregistry import Address
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.observe import causes
from stratabase.members.mail import Mail
from stratabase_aws.keys.secrets_manager import SecretsError
from stratabase_aws.mail.smtp_secret import SecretSmtpMailer
from tests.members.mailers.server import Server, serving
from tests.rows import each_row

SENDER = Address("Hr", "hr", "example.com")
MAIL = Mail("rosa@example.com", "Hello", "Text")
ARN = "arn:aws:secretsmanager:us-east-1:123456789012:secret:smtp"


class Secrets:
    """Secrets Manager with one secret."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def call(self, operation: str, **parameters: object) -> dict[str, Any]:
        assert (operation, parameters) == ("get_secret_value", {"SecretId": ARN})
        if self.text is None:
            raise SecretsError("AccessDeniedException", "not allowed")
        return {"SecretString": self.text}


def mailer(secrets: Any) -> SecretSmtpMailer:
    return SecretSmtpMailer(ARN, secrets, SENDER)


def test_each_email_goes_to_the_server_that_the_secret_names_now() -> None:
    secrets = Secrets(None)
    with serving(Server()) as first, serving(Server()) as second:
        for server in (first, second):
            secrets.text = f"smtp://127.0.0.1:{server.port}\n"
            mailer(secrets).send(MAIL)
            assert len(server.mails) == 1


@each_row(
    ("text", "cause"),
    [
        (None, "AccessDeniedException"),
        ("smtps:secret-password", "is not an address such as smtps://user:password@host"),
        ('{"url": "secret-password"}', "is not an address"),
    ],
)
def test_a_secret_that_cannot_be_used_is_said_without_its_content(text: str | None, cause: str) -> None:
    with pytest.raises(Unavailable) as refused:
        mailer(Secrets(text)).send(MAIL)
    said = " ".join(causes(refused.value))
    assert cause in said
    assert "secret-password" not in said
