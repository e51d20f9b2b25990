"""The blob store in a bucket of Amazon S3. The bucket's default encryption applies."""

import base64
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from typing import Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from stratabase.core import waiting
from stratabase.core.domain.files.blob import (
    CHUNK_SIZE,
    Blob,
    BlobNotFound,
    MultipartUpload,
    UploadedPart,
    check_blob_key,
    check_blob_prefix,
    check_part_number,
    parts_in_order,
)
from stratabase.core.domain.issues.refusals import StoreBusy, store_unavailable
from stratabase_aws.deadline import DeadlineExecutor
from stratabase_aws.endpoint import AwsEndpoint, create_client

_MISSING_CODES = frozenset({"404", "NoSuchKey", "NoSuchUpload", "InvalidPart"})
_BUSY_CODES = frozenset({"RequestTimeout", "SlowDown", "Throttling", "ThrottlingException"})
_CALLER_MISTAKES = frozenset({"EntityTooLarge", "EntityTooSmall", "InvalidArgument", "InvalidRequest"})


class RangeBeyondEnd(Exception):
    """The blob exists, but ends before the range begins."""


def map_s3_error(error: Exception, key: str) -> Exception:
    """Return the exception for a failed request, of which botocore has made all attempts."""
    if not isinstance(error, ClientError):
        return store_unavailable()
    code = error.response.get("Error", {}).get("Code", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in _MISSING_CODES:
        return BlobNotFound(key)
    if code in _CALLER_MISTAKES:
        return ValueError(f"S3 cannot do this: {error}")
    if code == "InvalidRange":
        return RangeBeyondEnd(key)
    if code in _BUSY_CODES or status == 503:
        return StoreBusy()
    return store_unavailable()


def was_repeated(missing: BlobNotFound) -> bool:
    """Return whether botocore had sent a request before, when S3 answered that something is missing."""
    cause = missing.__cause__
    metadata = cause.response.get("ResponseMetadata", {}) if isinstance(cause, ClientError) else {}
    return int(metadata.get("RetryAttempts", 0)) > 0


PART_SIZE = 8 * 1024 * 1024
"""Bytes. The maximum size of what `put` sends in one request, and keeps in memory."""
MAX_SINGLE_COPY = 64 * 1024 * 1024
"""Bytes. Larger blobs are copied in parts of this size, in parallel."""
MAX_DELETED_AT_ONCE = 1000
"""The number of keys that S3 deletes in one request."""
_READ_TIMEOUT = 10.0
"""Seconds. S3 answers a copy only when it is done, so it takes longer than DynamoDB."""
_REQUEST_ATTEMPTS = 3
"""The maximum number of times that botocore sends a request."""

T = TypeVar("T")


class S3Blobs:
    """A blob store in a bucket. It is thread-safe."""

    def __init__(self, endpoint: AwsEndpoint, bucket: str) -> None:
        self._endpoint = replace(endpoint, read_timeout=_READ_TIMEOUT)
        self._bucket = bucket
        self._lock = Lock()
        self._loaded: Any = None
        """The client. The first call creates it, because that takes a long time."""

    def put(self, key: str, content: Iterable[bytes], size: int) -> None:
        """Store bytes, and replace those under the key. Raises ValueError for content of another size."""
        if size > PART_SIZE:
            self._put_in_parts(key, content, size)
        else:
            # All in memory, so that botocore can send it again.
            body = b"".join(_of_size(content, size))
            self._call("put_object", key, Body=body, ContentLength=size, ChecksumCRC32=_checksum(body))

    def copy(self, source: str, target: str, size: int) -> None:
        """Store the bytes of a key under another key too."""
        at_target, at_source = self._at(target), self._at(source)
        if size > MAX_SINGLE_COPY:
            self._answer(source, lambda: self._copy_in_parts(at_source, target))
        else:
            self._answer(source, lambda: self._client().copy_object(**at_target, CopySource=at_source))

    def read(self, key: str, start: int = 0, end: int | None = None) -> "S3Range":
        """Return the bytes from `start` up to `end`."""
        if end is not None and start >= end:
            if self.size(key) is None:
                raise BlobNotFound(key)
            return S3Range(None)
        everything = start == 0 and end is None
        range_ = {} if everything else {"Range": f"bytes={start}-{'' if end is None else end - 1}"}
        try:
            return S3Range(self._call("get_object", key, **range_)["Body"])
        except RangeBeyondEnd:  # the blob ends before `start`
            return S3Range(None)

    def size(self, key: str) -> int | None:
        """Return the number of bytes under a key, None if there are none."""
        try:
            return int(self._call("head_object", key)["ContentLength"])
        except BlobNotFound:
            return None

    def delete(self, keys: Sequence[str]) -> None:
        """Remove the bytes under keys. Raises Unavailable if that failed for any key."""
        names = [{"Key": check_blob_key(key)} for key in keys]
        for at in range(0, len(names), MAX_DELETED_AT_ONCE):
            self._delete(names[at : at + MAX_DELETED_AT_ONCE])

    def erase(self, keys: Sequence[str]) -> None:
        """Remove all versions of the bytes under keys. Raises Unavailable if that failed for any of them."""
        for key in keys:
            parameters = {"Bucket": self._bucket, "Prefix": check_blob_key(key)}
            found: list[Mapping[str, str]] = []
            while True:
                page = self._answer(key, lambda: self._client().list_object_versions(**parameters))  # noqa: B023
                listed = [*page.get("Versions", ()), *page.get("DeleteMarkers", ())]
                found += [
                    {"Key": key, "VersionId": each["VersionId"]} for each in listed if each["Key"] == key
                ]
                if not page.get("IsTruncated"):
                    break
                parameters["KeyMarker"] = page["NextKeyMarker"]
                parameters["VersionIdMarker"] = page["NextVersionIdMarker"]
            for at in range(0, len(found), MAX_DELETED_AT_ONCE):
                self._delete(found[at : at + MAX_DELETED_AT_ONCE])

    def list(self, prefix: str) -> Iterator[Blob]:
        """Yield the stored bytes whose keys begin with a prefix, ordered by key."""
        parameters = {"Bucket": self._bucket, "Prefix": check_blob_prefix(prefix)}
        pages = self._answer(
            prefix, lambda: iter(self._client().get_paginator("list_objects_v2").paginate(**parameters))
        )
        while (page := self._answer(prefix, lambda: next(pages, None))) is not None:
            yield from (Blob(found["Key"], found["Size"]) for found in page.get("Contents", ()))

    def begin_upload(self, key: str) -> MultipartUpload:
        """Begin a multipart upload."""
        begun = self._call("create_multipart_upload", key, ChecksumAlgorithm="CRC32")
        return MultipartUpload(key, begun["UploadId"])

    def put_part(self, upload: MultipartUpload, number: int, content: bytes) -> UploadedPart:
        """Store a part. Its token is the checksum and the ETag, which S3 needs to complete the upload."""
        checksum = _checksum(content)
        stored = self._call(
            "upload_part",
            upload.key,
            UploadId=upload.id,
            PartNumber=check_part_number(number),
            Body=content,
            ContentLength=len(content),
            ChecksumCRC32=checksum,
        )
        return UploadedPart(number, f"{checksum} {stored['ETag']}")

    def complete_upload(self, upload: MultipartUpload, parts: Sequence[UploadedPart]) -> None:
        """Join parts, and store the bytes under the key."""
        joined = [_part_of_request(part) for part in parts_in_order(parts)]
        try:
            self._call(
                "complete_multipart_upload",
                upload.key,
                UploadId=upload.id,
                MultipartUpload={"Parts": joined},
            )
        except BlobNotFound as missing:
            # S3 may have completed the upload in an attempt whose response was lost.
            if not (was_repeated(missing) and self._has_parts(upload.key, len(joined))):
                raise

    def abort_upload(self, upload: MultipartUpload) -> None:
        """Remove all parts of an upload."""
        with suppress(BlobNotFound):
            self._call("abort_multipart_upload", upload.key, UploadId=upload.id)

    def recover(self, key: str) -> bool:
        """Bring back the bytes that were last deleted under a key. Return False if the bucket has none.

        Only a bucket with versions keeps deleted bytes, for the days of its lifecycle rule.
        """
        parameters = {"Bucket": self._bucket, "Prefix": check_blob_key(key)}
        listed = self._answer(key, lambda: self._client().list_object_versions(**parameters))
        # The newest version of a key is the first one. A key sorts before longer ones.
        version = next((each for each in listed.get("Versions", ()) if each["Key"] == key), None)
        if version is None:
            return False
        source = {**self._at(key), "VersionId": version["VersionId"]}
        if int(version["Size"]) > MAX_SINGLE_COPY:
            self._answer(key, lambda: self._copy_in_parts(source, key))
        else:
            self._answer(key, lambda: self._client().copy_object(**self._at(key), CopySource=source))
        return True

    def ensure_bucket(self) -> None:
        """Create the bucket if it does not exist. This is for emulators; on AWS, the template creates it."""
        place = {"LocationConstraint": self._endpoint.region}
        # S3 refuses this region as a constraint, because it is the default.
        options = {} if place["LocationConstraint"] == "us-east-1" else {"CreateBucketConfiguration": place}

        def create() -> None:
            client = self._client()
            with suppress(client.exceptions.BucketAlreadyOwnedByYou):
                client.create_bucket(Bucket=self._bucket, **options)

        self._answer(self._bucket, create)

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            if self._loaded is not None:
                self._loaded.close()

    def _put_in_parts(self, key: str, content: Iterable[bytes], size: int) -> None:
        upload = self.begin_upload(key)
        try:
            parts = [
                self.put_part(upload, number, block)
                for number, block in enumerate(_blocks(_of_size(content, size)), 1)
            ]
            self.complete_upload(upload, parts)
        except BaseException:
            # If this fails too, the bucket's lifecycle removes the parts.
            with suppress(Exception):
                self.abort_upload(upload)
            raise

    def _copy_in_parts(self, source: Mapping[str, str], target: str) -> None:
        from boto3.s3.transfer import TransferConfig, TransferManager  # noqa: PLC0415 - for this only

        config = TransferConfig(multipart_threshold=MAX_SINGLE_COPY, multipart_chunksize=MAX_SINGLE_COPY)
        with TransferManager(self._client(), config, executor_cls=DeadlineExecutor) as transfers:
            transfers.copy(source, self._bucket, target).result()

    def _delete(self, names: Sequence[Mapping[str, str]]) -> None:
        deletion = {"Objects": names, "Quiet": True}
        response = self._answer(
            "", lambda: self._client().delete_objects(Bucket=self._bucket, Delete=deletion)
        )
        failures = [error for error in response.get("Errors", ()) if error.get("Code") != "NoSuchKey"]
        if failures:
            raise store_unavailable() from RuntimeError(
                f"S3 did not delete {len(failures)} keys: {failures[:3]}"
            )

    def _has_parts(self, key: str, count: int) -> bool:
        """Return whether the bytes under a key are from a multipart upload with a number of parts."""
        try:
            etag = self._call("head_object", key)["ETag"]
        except BlobNotFound:
            return False
        return str(etag).strip('"').endswith(f"-{count}")

    def _at(self, key: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": check_blob_key(key)}

    def _call(self, operation: str, key: str, **parameters: object) -> Mapping[str, Any]:
        """Return the response to an operation on a key, such as `get_object`.

        Raises BlobNotFound, Unavailable.
        """
        at_key = self._at(key)
        answer: Mapping[str, Any] = self._answer(
            key, lambda: getattr(self._client(), operation)(**at_key, **parameters)
        )
        return answer

    def _answer(self, key: str, work: Callable[[], T]) -> T:
        """Return the result of calls to S3, while other requests run. Raises BlobNotFound, Unavailable."""
        try:
            return waiting.offload(work)
        except (ClientError, BotoCoreError, OSError) as error:
            raise map_s3_error(error, key) from error

    def _client(self) -> Any:
        with self._lock:
            if self._loaded is None:
                # Emulators have no host name for each bucket.
                options = {} if self._endpoint.url is None else {"s3": {"addressing_style": "path"}}
                retries = {"mode": "standard", "total_max_attempts": _REQUEST_ATTEMPTS}
                connections = self._endpoint.connections
                self._loaded = create_client(
                    "s3", self._endpoint, retries=retries, max_pool_connections=connections, **options
                )
            return self._loaded


class S3Range:
    """A part of a blob, as an iterator of chunks."""

    def __init__(self, body: Any) -> None:
        """Read the body of a response. None stands for no bytes."""
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._body is None:
            raise StopIteration
        try:
            chunk: bytes = waiting.offload(self._body.read, CHUNK_SIZE)
        except (BotoCoreError, OSError) as error:
            self.close()
            raise store_unavailable() from error
        if not chunk:
            self.close()
            raise StopIteration
        return chunk

    def close(self) -> None:
        """Close the connection if not all bytes have been read."""
        if self._body is not None:
            self._body.close()
            self._body = None


def _part_of_request(part: UploadedPart) -> Mapping[str, object]:
    checksum, _separator, etag = part.token.partition(" ")
    return {"PartNumber": part.number, "ETag": etag, "ChecksumCRC32": checksum}


def _checksum(content: bytes) -> str:
    return base64.b64encode(zlib.crc32(content).to_bytes(4)).decode()


def _of_size(content: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Yield the chunks. Raises ValueError if they do not have `size` bytes together."""
    left = size
    for chunk in content:
        left -= len(chunk)
        if left < 0:
            break
        yield chunk
    if left:
        raise ValueError(f"The content does not have {size} bytes.")


def _blocks(content: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in chunks of PART_SIZE, except for the last one."""
    block = bytearray()
    for chunk in content:
        block += chunk
        while len(block) >= PART_SIZE:
            yield bytes(block[:PART_SIZE])
            del block[:PART_SIZE]
    if block:
        yield bytes(block)
