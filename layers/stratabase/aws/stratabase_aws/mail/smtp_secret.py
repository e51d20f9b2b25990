"""The mailer for SMTP whose server and password are in a secret of AWS Secrets Manager."""

from email.headerregistry import Address

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.setting_values import parse_smtp_address
from stratabase.members.mail import Mail
from stratabase.members.mailers.message import MAIL_RETRY_AFTER
from stratabase.members.mailers.smtp import SmtpMailer, SmtpServer, parse_smtp_url
from stratabase.values.messages import _
from stratabase_aws.keys.secrets_manager import SecretsClient, SecretsError


class SecretSmtpMailer:
    """A mailer that reads the server's address for each mail, so that a changed password counts at once."""

    def __init__(self, secret: str, client: SecretsClient, sender: Address) -> None:
        """`secret`: the name or ARN of a secret whose text is a URL such as `smtps://user:password@host`."""
        self._secret = secret
        self._client = client
        self._sender = sender

    def send(self, mail: Mail) -> None:
        """Send a mail. Raises Unavailable, also if the secret can't be read or has no address of a server."""
        SmtpMailer(self._server(), self._sender).send(mail)

    def _server(self) -> SmtpServer:
        try:
            found = self._client.call("get_secret_value", SecretId=self._secret)
            return parse_smtp_url(parse_smtp_address(found["SecretString"].strip()))
        except SecretsError as error:
            raise Unavailable(_("The email couldn't be sent."), MAIL_RETRY_AFTER) from error
        except (KeyError, ValueError):
            # The reason could have a part of the secret, which must not get into the log.
            cause = ValueError(
                f"The secret {self._secret} is not an address such as smtps://user:password@host."
            )
            raise Unavailable(_("The email couldn't be sent."), MAIL_RETRY_AFTER) from cause
