"""The document of the identity providers in a secret of AWS Secrets Manager."""

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.unusable_store import UnusableStore
from stratabase.values.messages import _
from stratabase_aws.keys.secrets_manager import CONFIGURATION_ERRORS, SecretsClient, SecretsError


class ProvidersSecret:
    """Reads the document from a secret, whose text it is."""

    def __init__(self, secret: str, client: SecretsClient) -> None:
        """`secret`: the name or ARN of the secret."""
        self._secret = secret
        self._client = client

    @property
    def place(self) -> str:
        """The setting, with the name of the secret."""
        return f"STRATABASE_IDENTITY_PROVIDERS_SECRET ({self._secret})"

    def read(self) -> str:
        """Return the text of the secret. Raises Unavailable, UnusableStore."""
        try:
            found = self._client.call("get_secret_value", SecretId=self._secret)
        except SecretsError as error:
            if error.code in CONFIGURATION_ERRORS:
                message = f"{self.place}: the secret can't be read: {error.message} ({error.code})."
                raise UnusableStore(message) from error
            raise Unavailable(
                _("The settings of the identity providers can't be read. Try again.")
            ) from error
        return str(found.get("SecretString") or "")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
