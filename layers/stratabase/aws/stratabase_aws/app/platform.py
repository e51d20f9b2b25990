"""The platform of AWS: DynamoDB, S3, Secrets Manager, SES, and a queue of a Lambda function.

What the settings do not place on AWS is on this machine, such as the files of a server without a bucket.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from stratabase.core.app.platform import ClosableBlobs, StoresRequired
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.store_mark import MarkCheck, StoreKind
from stratabase.core.operations.ports import Attempts
from stratabase.core.operations.store_marks import MarkStore
from stratabase.core.settings import Settings
from stratabase.core.store.engine.offloading import OffloadingEngine
from stratabase.core.store.engine.parallel import ParallelMap, ThreadedMap
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.engine.snapshot import ItemSnapshot
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.app.local_platform import LocalPlatform
from stratabase.members.ports import ClosableQueue, Keyring, Mailer, Members
from stratabase_aws.endpoint import AwsEndpoint

if TYPE_CHECKING:
    from stratabase_aws.dynamodb.client import Client
    from stratabase_aws.members.pynamodb_table import PynamoTable

_MAX_PARALLEL_READS = 16
"""The maximum number of ranges that a process reads in parallel."""


class AwsPlatform(LocalPlatform):
    """Opens the resources of AWS that the settings name. Each part imports its module when it is opened."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._has_tables = settings.store == "dynamodb"
        self._endpoint = AwsEndpoint(settings.region, settings.endpoint)

    @property
    def is_embedded(self) -> bool:
        """Whether the objects and members are in files, and only other parts on AWS."""
        return not self._has_tables

    @property
    def places(self) -> Mapping[str, str]:
        """The tables and the bucket, or the data folder in their place."""
        settings = self._settings
        tables = {"STRATABASE_TABLE": settings.table, "STRATABASE_MEMBERS_TABLE": settings.members_table}
        bucket = {"STRATABASE_BUCKET": settings.bucket} if settings.bucket else {}
        return {**(tables if self._has_tables else super().places), **bucket}

    @property
    def required(self) -> StoresRequired:
        """What the settings require of the marks of the stores, whose names are those of the resources."""
        settings, required = self._settings, super().required
        if self._has_tables:
            required = required._replace(
                objects=self._requirements(StoreKind.OBJECTS, settings.table, "STRATABASE_TABLE"),
                members=self._requirements(
                    StoreKind.MEMBERS, settings.members_table, "STRATABASE_MEMBERS_TABLE"
                ),
            )
        if settings.bucket:
            files = self._requirements(StoreKind.FILES, settings.bucket, "STRATABASE_BUCKET")
            required = required._replace(files=files)
        return required

    @property
    def parallel_map(self) -> ParallelMap:
        """The map function that reads ranges of a table in parallel."""
        return ThreadedMap(_MAX_PARALLEL_READS) if self._has_tables else super().parallel_map

    def engine(self) -> Engine:
        """Return the engine on the table. Creates it if the settings say so. Raises UnusableStore."""
        if not self._has_tables:
            return super().engine()
        from stratabase_aws.dynamodb.client import Unanswered  # noqa: PLC0415 - see the class
        from stratabase_aws.dynamodb.engine import DynamoDBEngine  # noqa: PLC0415
        from stratabase_aws.dynamodb.table import ensure_table  # noqa: PLC0415

        client = self.dynamodb_client()
        if self._settings.create_tables:
            try:
                ensure_table(client, self._settings.table)
            except Unanswered as error:
                where = f" at {self._endpoint.url}" if self._endpoint.url else ""
                text = f"STRATABASE_ENDPOINT: DynamoDB doesn't respond{where} ({error})."
                raise UnusableStore(text) from error
        return OffloadingEngine(DynamoDBEngine(client, self._settings.table))

    def index_size(self, name: str) -> tuple[int, int] | None:
        """Return the number and the bytes of the entries of an index, None if DynamoDB does not say."""
        if not self._has_tables:
            return super().index_size(name)
        from stratabase_aws.dynamodb.client import Rejected, Unanswered  # noqa: PLC0415 - see the class
        from stratabase_aws.dynamodb.table import index_size  # noqa: PLC0415

        with closing(self.dynamodb_client()) as client:
            try:
                return index_size(client, self._settings.table, name)
            except (Rejected, Unanswered):
                return None

    def dynamodb_client(self) -> "Client":
        """Return the client that the settings select for the table of the objects."""
        return _CLIENTS[self._settings.aws_client](self._endpoint)

    def snapshot(
        self, engine: Engine, folder: Path, report: Callable[[int], None]
    ) -> AbstractContextManager[ItemSnapshot]:
        """Return a context with all items of the table, copied to a temporary file in `folder`."""
        if not self._has_tables:
            return super().snapshot(engine, folder, report)
        from stratabase.core.store.staged_snapshot import staged_snapshot  # noqa: PLC0415 - see the class

        return staged_snapshot(engine, folder, report)

    def members(self) -> Members:
        """Return the store in the table of members. Creates it if the settings say so."""
        if not self._has_tables:
            return super().members()
        from stratabase_aws.members.pynamodb_members import PynamoMembers  # noqa: PLC0415 - see the class

        return PynamoMembers(self._members_table)

    def attempts(self) -> Attempts:
        """Return the store in the table of members."""
        if not self._has_tables:
            return super().attempts()
        from stratabase_aws.members.pynamodb_attempts import PynamoAttempts  # noqa: PLC0415 - see the class

        return PynamoAttempts(self._members_table)

    @contextmanager
    def member_mark(self) -> Iterator[MarkStore]:
        """Yield the mark in the table of members."""
        if self._has_tables:
            from stratabase_aws.members.pynamodb_mark import PynamoMemberMark  # noqa: PLC0415 - see the class

            yield PynamoMemberMark(self._members_table)
            return
        with super().member_mark() as mark:
            yield mark

    @cached_property
    def _members_table(self) -> "PynamoTable":
        from stratabase_aws.members.pynamodb_mark import PynamoMemberMark  # noqa: PLC0415 - see the class
        from stratabase_aws.members.pynamodb_table import PynamoTable  # noqa: PLC0415

        table = PynamoTable(self._endpoint, self._settings.members_table)
        self._opened.callback(table.close)
        if self._settings.create_tables:
            table.ensure()
        table.check_before_use(MarkCheck(self.required.members, PynamoMemberMark(table).read_mark))
        return table

    def blobs(self) -> ClosableBlobs:
        """Return the store in the bucket. Creates it if the settings say so. Raises UnusableStore."""
        if self._settings.bucket is None:
            return super().blobs()
        from stratabase_aws.s3.s3 import S3Blobs  # noqa: PLC0415 - see the class

        blobs = S3Blobs(self._endpoint, self._settings.bucket)
        if self._settings.create_tables:
            blobs.ensure_bucket()
        return blobs

    def keyring(self) -> Keyring:
        """Return the keyring in a secret of Secrets Manager."""
        if self._settings.signing_keys is None:
            return super().keyring()
        from stratabase_aws.keys.secrets_manager import (  # noqa: PLC0415 - see the class
            SecretsClient,
            SecretsManagerKeyring,
        )

        return SecretsManagerKeyring(self._settings.signing_keys, SecretsClient(self._endpoint))

    def mailer(self) -> Mailer:
        """Return a client of SES, or of a mail server whose address is in a secret. Raises BadSettings."""
        settings = self._settings
        if settings.mail == "ses":
            from stratabase_aws.mail.ses import SesMailer  # noqa: PLC0415 - see the class

            return SesMailer(settings.region, self.sender(), settings.endpoint)
        if settings.mail == "smtp" and settings.smtp is None and settings.smtp_secret is not None:
            from stratabase_aws.keys.secrets_manager import SecretsClient  # noqa: PLC0415 - see the class
            from stratabase_aws.mail.smtp_secret import SecretSmtpMailer  # noqa: PLC0415

            return SecretSmtpMailer(settings.smtp_secret, SecretsClient(self._endpoint), self.sender())
        return super().mailer()

    def mail_queue(self, now: Callable[[], Instant]) -> ClosableQueue:
        """Return the queue of the Lambda function `mail`."""
        if self._settings.mail_function is None:
            return super().mail_queue(now)
        from stratabase_aws.mail.lambda_queue import LambdaMailQueue  # noqa: PLC0415 - see the class

        return LambdaMailQueue(self._settings.mail_function, self._endpoint)


def _signed_client(endpoint: AwsEndpoint) -> "Client":
    from stratabase_aws.dynamodb.signed_client import SignedClient  # noqa: PLC0415 - see the class

    return SignedClient(endpoint)


def _botocore_client(endpoint: AwsEndpoint) -> "Client":
    from stratabase_aws.dynamodb.botocore_client import BotocoreClient  # noqa: PLC0415 - see the class

    return BotocoreClient(endpoint)


_CLIENTS: Mapping[str, Callable[[AwsEndpoint], "Client"]] = {
    "signed": _signed_client,
    "botocore": _botocore_client,
}
"""By the value of the setting `aws_client`."""
