"""The services of AWS that can take the place of a file or folder in the data folder, whatever the store is.

Each function takes the settings, and imports the module of its service.
"""

from typing import TYPE_CHECKING

from stratabase.core.settings import Settings
from stratabase.members.app.mailers import sender
from stratabase_aws.endpoint import AwsEndpoint

if TYPE_CHECKING:
    from stratabase_aws.keys.providers_secret import ProvidersSecret
    from stratabase_aws.keys.secrets_manager import SecretsManagerKeyring
    from stratabase_aws.mail.lambda_queue import LambdaMailQueue
    from stratabase_aws.mail.ses import SesMailer
    from stratabase_aws.mail.smtp_secret import SecretSmtpMailer
    from stratabase_aws.s3.s3 import S3Blobs


def bucket(settings: Settings) -> "S3Blobs":
    """Return the files in a bucket. Creates it if the settings say so. Raises UnusableStore."""
    from stratabase_aws.s3.s3 import S3Blobs  # noqa: PLC0415 - see the module

    assert settings.bucket is not None
    blobs = S3Blobs(_endpoint(settings), settings.bucket)
    if settings.create_tables:
        blobs.ensure_bucket()
    return blobs


def secret_keyring(settings: Settings) -> "SecretsManagerKeyring":
    """Return the keyring in a secret of Secrets Manager."""
    from stratabase_aws.keys.secrets_manager import SecretsClient, SecretsManagerKeyring  # noqa: PLC0415 - see the module

    assert settings.signing_keys is not None
    return SecretsManagerKeyring(settings.signing_keys, SecretsClient(_endpoint(settings)))


def ses(settings: Settings) -> "SesMailer":
    """Return a client of SES. Raises BadSettings."""
    from stratabase_aws.mail.ses import SesMailer  # noqa: PLC0415 - see the module

    return SesMailer(settings.region, sender(settings), settings.endpoint)


def secret_smtp(settings: Settings) -> "SecretSmtpMailer":
    """Return a client of a mail server whose address is in a secret. Raises BadSettings."""
    from stratabase_aws.keys.secrets_manager import SecretsClient  # noqa: PLC0415 - see the module
    from stratabase_aws.mail.smtp_secret import SecretSmtpMailer  # noqa: PLC0415

    assert settings.smtp_secret is not None
    return SecretSmtpMailer(settings.smtp_secret, SecretsClient(_endpoint(settings)), sender(settings))


def secret_providers(settings: Settings) -> "ProvidersSecret":
    """Return the document of the identity providers in a secret of Secrets Manager."""
    from stratabase_aws.keys.providers_secret import ProvidersSecret  # noqa: PLC0415 - see the module
    from stratabase_aws.keys.secrets_manager import SecretsClient  # noqa: PLC0415

    assert settings.identity_providers_secret is not None
    return ProvidersSecret(settings.identity_providers_secret, SecretsClient(_endpoint(settings)))


def mail_function_queue(settings: Settings) -> "LambdaMailQueue":
    """Return the queue of the Lambda function `mail`."""
    from stratabase_aws.mail.lambda_queue import LambdaMailQueue  # noqa: PLC0415 - see the module

    assert settings.mail_function is not None
    return LambdaMailQueue(settings.mail_function, _endpoint(settings))


def _endpoint(settings: Settings) -> AwsEndpoint:
    return AwsEndpoint(settings.region, settings.endpoint)
