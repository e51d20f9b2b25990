"""The document of the identity providers in a secret."""

from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.unusable_store import UnusableStore
from stratabase_aws.keys.providers_secret import ProvidersSecret
from stratabase_aws.keys.secrets_manager import SecretsClient, SecretsError
from tests import ministack

ARN = "arn:aws:secretsmanager:us-east-1:123456789012:secret:providers"


class Failing:
    """Secrets Manager that answers with an error."""

    def __init__(self, code: str) -> None:
        self._code = code

    def call(self, operation: str, **parameters: object) -> dict[str, Any]:
        assert (operation, parameters) == ("get_secret_value", {"SecretId": ARN})
        raise SecretsError(self._code, "why")


def test_the_text_of_the_secret_is_read_anew_each_time() -> None:
    client = SecretsClient(ministack.endpoint())
    created = client.call("create_secret", Name="providers-test", SecretString="first")
    secret = ProvidersSecret(created["ARN"], client)
    assert secret.read() == "first"
    client.call("put_secret_value", SecretId="providers-test", SecretString="second")
    assert secret.read() == "second"
    secret.close()


def test_a_secret_that_may_not_be_read_says_what_to_correct() -> None:
    failing: Any = Failing("AccessDeniedException")
    with pytest.raises(UnusableStore) as refused:
        ProvidersSecret(ARN, failing).read()
    setting = f"STRATABASE_IDENTITY_PROVIDERS_SECRET ({ARN})"
    assert str(refused.value) == f"{setting}: the secret can't be read: why (AccessDeniedException)."


def test_a_failure_of_the_service_passes() -> None:
    failing: Any = Failing("InternalServiceError")
    with pytest.raises(Unavailable):
        ProvidersSecret(ARN, failing).read()
