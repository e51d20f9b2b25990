"""Mail by Amazon SES, version 2 of its API."""

from email.headerregistry import Address
from functools import cached_property
from typing import Any

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.mail.template import Mail
from stratabase.store.dynamodb.aws import new_session
from stratabase.store.mail.message import is_plain, message_of

CONNECT_PATIENCE, READ_PATIENCE = 3, 10
"""Seconds."""
RETRY_AFTER = 30
"""Seconds after which it makes sense to try again."""


class SesMailer:
    """Hands mail to SES in a region; the sender must be an identity that is verified there."""

    def __init__(self, region: str, sender: Address, endpoint: str | None = None) -> None:
        self._region = region
        self._sender = sender
        self._endpoint = endpoint

    def send(self, mail: Mail) -> None:
        """Send a mail. Raises Unavailable."""
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415 - see _client

        try:
            self._client.send_email(**self._request(mail))
        except (BotoCoreError, ClientError, OSError, ValueError) as error:
            raise Unavailable("The mail could not be sent.", RETRY_AFTER) from error

    def _request(self, mail: Mail) -> dict[str, Any]:
        message = message_of(mail, self._sender)
        (to,) = message["To"].addresses
        if not is_plain(to):
            raise ValueError("SES delivers to addresses in ASCII only, but for the domain")
        return {
            "FromEmailAddress": self._sender.addr_spec,
            "Destination": {"ToAddresses": [to.addr_spec]},
            "Content": {"Raw": {"Data": bytes(message)}},
        }

    @cached_property
    def _client(self) -> Any:
        # Loaded when the first mail is sent: most functions never send one, and it takes long.
        from botocore.config import Config  # noqa: PLC0415 - see above

        config = Config(
            connect_timeout=CONNECT_PATIENCE,
            read_timeout=READ_PATIENCE,
            retries={"mode": "standard", "total_max_attempts": 2},
        )
        return new_session().create_client(
            "sesv2", region_name=self._region, endpoint_url=self._endpoint, config=config
        )
