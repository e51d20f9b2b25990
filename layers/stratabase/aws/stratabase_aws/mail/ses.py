"""The mailer for Amazon SES, over version 2 of its API."""

from email.headerregistry import Address
from functools import cached_property
from typing import Any

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.mail import Mail
from stratabase.members.mailers.message import (
    MAIL_RETRY_AFTER,
    build_message,
    has_ascii_mailbox,
    unsupported_mailbox,
)
from stratabase.values.messages import _
from stratabase_aws.endpoint import AwsEndpoint, create_client

CONNECT_TIMEOUT, READ_TIMEOUT = 3, 10
"""Seconds."""


class SesMailer:
    """A mailer over SES in one region, where the sender must be a verified identity.

    `url` is the address of an emulator. The default is AWS.
    """

    def __init__(self, region: str, sender: Address, url: str | None = None) -> None:
        self._endpoint = AwsEndpoint(region, url, connect_timeout=CONNECT_TIMEOUT, read_timeout=READ_TIMEOUT)
        self._sender = sender

    def send(self, mail: Mail) -> None:
        """Send a mail. Raises RecipientRefused, Unavailable."""
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415 - imported on first use, see _client

        try:
            self._client.send_email(**self._request(mail))
        except (BotoCoreError, ClientError, OSError, ValueError) as error:
            raise Unavailable(_("The email couldn't be sent."), MAIL_RETRY_AFTER) from error

    def _request(self, mail: Mail) -> dict[str, Any]:
        """Return the parameters of SendEmail. Raises RecipientRefused for an address that SES cannot take."""
        message = build_message(mail, self._sender)
        (recipient,) = message["To"].addresses
        if not has_ascii_mailbox(recipient):
            raise unsupported_mailbox()
        return {
            "FromEmailAddress": self._sender.addr_spec,
            "Destination": {"ToAddresses": [recipient.addr_spec]},
            "Content": {"Raw": {"Data": bytes(message)}},
        }

    @cached_property
    def _client(self) -> Any:
        # Created with the first email: most functions never send one, and loading botocore takes a long time.
        return create_client("sesv2", self._endpoint, retries={"mode": "standard", "total_max_attempts": 2})
