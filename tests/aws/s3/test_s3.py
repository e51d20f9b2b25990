"""The blob store in S3: its requests, and how errors of S3 appear to callers."""

import io
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.awsrequest import AWSRequest, AWSResponse
from botocore.exceptions import ConnectTimeoutError, NoCredentialsError, ReadTimeoutError
from botocore.response import StreamingBody
from botocore.stub import Stubber

from stratabase.core.domain.files.blob import MIN_PART_SIZE, Blob, BlobNotFound, MultipartUpload, UploadedPart
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.waiting import deadline_after
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from stratabase_aws.s3 import s3
from stratabase_aws.s3.s3 import S3Blobs
from tests.contract.blobs.blob_calls import pattern, put, read
from tests.contract.blobs.stores import ministack_blobs

ENDPOINT = AwsEndpoint("eu-south-1", credentials=Credentials("test", "test"))
AT_KEY = {"Bucket": "files", "Key": "files/a"}
UPLOAD = MultipartUpload("files/a", "upload1")
TEMPORARILY = "The store is temporarily unavailable. Try again later."
BUSY = "The store is too busy. Try again."


@pytest.fixture
def blobs() -> Iterator[S3Blobs]:
    with closing(S3Blobs(ENDPOINT, "files")) as blobs:
        yield blobs


@pytest.fixture
def s3_stub(blobs: S3Blobs) -> Iterator[Stubber]:
    with Stubber(blobs._client()) as stub:
        yield stub
        stub.assert_no_pending_responses()


def body(content: bytes, size: int | None = None) -> StreamingBody:
    """Return the body of a response that promises `size` bytes."""
    return StreamingBody(io.BytesIO(content), len(content) if size is None else size)


def test_a_put_sends_a_checksum_and_no_choice_of_encryption(blobs: S3Blobs, s3_stub: Stubber) -> None:
    # The well-known check value of CRC-32 is cbf43926.
    expected = {**AT_KEY, "Body": b"123456789", "ContentLength": 9, "ChecksumCRC32": "y/Q5Jg=="}
    s3_stub.add_response("put_object", {}, expected)
    put(blobs, "files/a", b"123456789")


def test_a_part_and_its_completion_send_a_checksum(blobs: S3Blobs, s3_stub: Stubber) -> None:
    s3_stub.add_response(
        "create_multipart_upload", {"UploadId": "upload1"}, {**AT_KEY, "ChecksumAlgorithm": "CRC32"}
    )
    part = {"PartNumber": 3, "ChecksumCRC32": "y/Q5Jg=="}
    at_upload = {**AT_KEY, "UploadId": "upload1"}
    s3_stub.add_response(
        "upload_part",
        {"ETag": '"e"'},
        {**at_upload, **part, "Body": b"123456789", "ContentLength": 9},
    )
    s3_stub.add_response(
        "complete_multipart_upload",
        {},
        {**at_upload, "MultipartUpload": {"Parts": [{**part, "ETag": '"e"'}]}},
    )
    upload = blobs.begin_upload("files/a")
    blobs.complete_upload(upload, [blobs.put_part(upload, 3, b"123456789")])


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        ("SlowDown", 503, BUSY),
        ("ServiceUnavailable", 503, BUSY),
        ("RequestTimeout", 400, BUSY),
        ("InternalError", 500, TEMPORARILY),
        ("AccessDenied", 403, TEMPORARILY),
        ("ExpiredToken", 400, TEMPORARILY),
        ("NoSuchBucket", 404, TEMPORARILY),
        ("BadDigest", 400, TEMPORARILY),
    ],
)
def test_an_error_of_s3_is_unavailable(
    code: str, status: int, message: str, blobs: S3Blobs, s3_stub: Stubber
) -> None:
    for operation in ("put_object", "copy_object", "get_object", "head_object", "list_objects_v2"):
        s3_stub.add_client_error(operation, code, "internals of bucket files", status)
    for call in (
        lambda: put(blobs, "files/a", b"x"),
        lambda: blobs.copy("pending/a", "files/a", 1),
        lambda: blobs.read("files/a"),
        lambda: blobs.size("files/a"),
        lambda: list(blobs.list("files/")),
    ):
        with pytest.raises(Unavailable) as caught:
            call()
        assert str(caught.value.message) == message


@pytest.mark.parametrize(
    "error",
    [
        ReadTimeoutError(endpoint_url="https://s3"),
        ConnectTimeoutError(endpoint_url="https://s3"),
        NoCredentialsError(),
        ConnectionResetError("reset"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_request_without_an_answer_is_unavailable(error: Exception, blobs: S3Blobs) -> None:
    def fail(**_: object) -> None:
        raise error

    blobs._client().meta.events.register("before-call.s3", fail)
    for call in (lambda: put(blobs, "files/a", b"x"), lambda: blobs.read("files/a")):
        with pytest.raises(Unavailable, match="temporarily unavailable") as caught:
            call()
        assert caught.value.__cause__ is error


def test_after_the_deadline_a_request_is_neither_sent_nor_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=pauses.append))
    blobs = ministack_blobs()
    put(blobs, "files/a", b"x")
    for call in (lambda: put(blobs, "files/a", b"y"), lambda: blobs.read("files/a")):
        with deadline_after(0), pytest.raises(Unavailable, match="temporarily unavailable"):
            call()
    assert pauses == []
    assert read(blobs, "files/a") == b"x"
    blobs.delete(["files/a"])


def test_after_the_deadline_the_parts_of_a_large_blob_are_not_copied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(s3, "MAX_SINGLE_COPY", MIN_PART_SIZE)
    blobs, size = ministack_blobs(), MIN_PART_SIZE + 1
    put(blobs, "pending/a", pattern(size))
    with deadline_after(0), pytest.raises(Unavailable, match="temporarily unavailable"):
        blobs.copy("pending/a", "files/a", size)
    assert blobs.size("files/a") is None
    with deadline_after(600):
        blobs.copy("pending/a", "files/a", size)
    assert blobs.size("files/a") == size
    blobs.delete(["pending/a", "files/a"])


def test_a_mistake_of_the_caller_is_a_value_error(blobs: S3Blobs, s3_stub: Stubber) -> None:
    s3_stub.add_client_error("complete_multipart_upload", "EntityTooSmall", "too small", 400)
    with pytest.raises(ValueError, match="too small"):
        blobs.complete_upload(UPLOAD, [UploadedPart(1, "c e")])


def test_a_download_that_breaks_off_is_unavailable(blobs: S3Blobs, s3_stub: Stubber) -> None:
    s3_stub.add_response("get_object", {"Body": body(b"half", 8)}, AT_KEY)
    chunks = blobs.read("files/a")
    assert next(chunks) == b"half"
    with pytest.raises(Unavailable, match="temporarily unavailable"):
        next(chunks)
    assert list(chunks) == []


def test_a_closed_download_closes_its_connection(blobs: S3Blobs, s3_stub: Stubber) -> None:
    response = body(b"content")
    s3_stub.add_response("get_object", {"Body": response}, {**AT_KEY, "Range": "bytes=2-"})
    chunks = blobs.read("files/a", 2)
    chunks.close()
    chunks.close()
    assert response._raw_stream.closed
    assert list(chunks) == []


def test_keys_that_were_not_deleted_are_unavailable(blobs: S3Blobs, s3_stub: Stubber) -> None:
    denied = {"Key": "files/a", "Code": "AccessDenied", "Message": "no"}
    gone = {"Key": "files/b", "Code": "NoSuchKey", "Message": "gone"}
    for errors in ([gone], [gone, denied]):
        s3_stub.add_response("delete_objects", {"Errors": errors})
    blobs.delete(["files/b"])
    with pytest.raises(Unavailable) as caught:
        blobs.delete(["files/a", "files/b"])
    assert str(caught.value.message) == TEMPORARILY
    assert "did not delete 1 keys" in str(caught.value.__cause__)


def test_keys_are_deleted_a_thousand_at_a_time(blobs: S3Blobs, s3_stub: Stubber) -> None:
    keys = [f"files/{number}" for number in range(2001)]
    for batch in (keys[:1000], keys[1000:2000], keys[2000:]):
        deletion = {"Objects": [{"Key": key} for key in batch], "Quiet": True}
        s3_stub.add_response("delete_objects", {}, {"Bucket": "files", "Delete": deletion})
    blobs.delete(keys)


def test_a_list_reads_a_page_when_it_is_needed(blobs: S3Blobs, s3_stub: Stubber) -> None:
    asked = {"Bucket": "files", "Prefix": "files/"}
    first: dict[str, Any] = {"Contents": [{"Key": "files/a", "Size": 1}], "IsTruncated": True}
    s3_stub.add_response("list_objects_v2", first | {"NextContinuationToken": "next"}, asked)
    found = blobs.list("files/")
    assert next(found) == Blob("files/a", 1)
    s3_stub.add_client_error("list_objects_v2", "InternalError", "no", 500)
    with pytest.raises(Unavailable):
        next(found)


def answer_again(stub: Stubber) -> None:
    """Let S3 answer a repeated completion with an error."""
    stub.add_client_error(
        "complete_multipart_upload", "NoSuchUpload", "gone", 404, response_meta={"RetryAttempts": 1}
    )


def test_a_completion_whose_answer_was_lost_has_succeeded(blobs: S3Blobs, s3_stub: Stubber) -> None:
    answer_again(s3_stub)
    s3_stub.add_response("head_object", {"ETag": '"0123-2"'}, AT_KEY)
    blobs.complete_upload(UPLOAD, [UploadedPart(1, "c e"), UploadedPart(2, "d f")])


class LostAnswer:
    """S3 as a client sees it whose first request gets no valid answer. Records the methods of requests."""

    def __init__(self, *answers: AWSResponse) -> None:
        self.methods: list[str] = []
        self._answers = [response(500), *answers]

    def __call__(self, request: AWSRequest, **_: object) -> AWSResponse:
        self.methods.append(request.method)
        return self._answers.pop(0)


def response(status: int, content: bytes = b"", **headers: str) -> AWSResponse:
    raw = SimpleNamespace(stream=lambda: [content])
    return AWSResponse("https://s3", status, headers, raw)


def test_botocore_tells_that_it_has_repeated_a_completion(
    blobs: S3Blobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    gone = response(404, b"<Error><Code>NoSuchUpload</Code></Error>")
    lost = LostAnswer(gone, response(200, ETag='"0123-1"'))
    blobs._client().meta.events.register("before-send.s3", lost)
    blobs.complete_upload(UPLOAD, [UploadedPart(1, "c e")])
    assert lost.methods == ["POST", "POST", "HEAD"]


def test_a_completion_of_an_unknown_upload_is_not_repeated(blobs: S3Blobs, s3_stub: Stubber) -> None:
    s3_stub.add_client_error("complete_multipart_upload", "NoSuchUpload", "gone", 404)
    with pytest.raises(BlobNotFound):
        blobs.complete_upload(UPLOAD, [UploadedPart(1, "c e")])


@pytest.mark.parametrize("etag", ["0123", "0123-1"])
def test_a_repeated_completion_of_an_ended_upload_fails(etag: str, blobs: S3Blobs, s3_stub: Stubber) -> None:
    answer_again(s3_stub)
    s3_stub.add_response("head_object", {"ETag": f'"{etag}"'}, AT_KEY)
    with pytest.raises(BlobNotFound):
        blobs.complete_upload(UPLOAD, [UploadedPart(1, "c e"), UploadedPart(2, "d f")])


def test_a_repeated_completion_without_bytes_fails(blobs: S3Blobs, s3_stub: Stubber) -> None:
    answer_again(s3_stub)
    s3_stub.add_client_error("head_object", "404", "Not Found", 404)
    with pytest.raises(BlobNotFound):
        blobs.complete_upload(UPLOAD, [UploadedPart(1, "c e")])


def test_a_put_in_parts_that_fails_is_aborted(blobs: S3Blobs, s3_stub: Stubber) -> None:
    s3_stub.add_response("create_multipart_upload", {"UploadId": "upload1"})
    s3_stub.add_client_error("upload_part", "SlowDown", "slow", 503)
    s3_stub.add_client_error("abort_multipart_upload", "SlowDown", "slow", 503)
    with pytest.raises(Unavailable, match="too busy"):
        put(blobs, "files/a", pattern(s3.PART_SIZE + 1))


def test_a_bucket_is_created_in_its_region(blobs: S3Blobs, s3_stub: Stubber) -> None:
    place = {"LocationConstraint": "eu-south-1"}
    expected = {"Bucket": "files", "CreateBucketConfiguration": place}
    s3_stub.add_response("create_bucket", {}, expected)
    s3_stub.add_client_error("create_bucket", "BucketAlreadyOwnedByYou", "again", 409)
    s3_stub.add_client_error("create_bucket", "BucketAlreadyExists", "another account's", 409)
    blobs.ensure_bucket()
    blobs.ensure_bucket()
    with pytest.raises(Unavailable):
        blobs.ensure_bucket()


def test_a_large_blob_is_copied_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3, "MAX_SINGLE_COPY", MIN_PART_SIZE)
    blobs = ministack_blobs()
    content = pattern(2 * MIN_PART_SIZE + 1)
    put(blobs, "pending/a", content)
    blobs.copy("pending/a", "files/b", len(content))
    assert read(blobs, "files/b") == content
    assert blobs._has_parts("files/b", 3)
    blobs.delete(["pending/a", "files/b"])
    with pytest.raises(BlobNotFound) as caught:
        blobs.copy("pending/a", "files/c", len(content))
    assert caught.value.key == "pending/a"
    assert list(blobs.list("")) == []


def test_opening_a_store_loads_no_client() -> None:
    """A function that does not touch bytes does not wait for it."""
    code = (
        "import sys\n"
        "from stratabase_aws.s3.s3 import S3Blobs\n"
        "from stratabase_aws.endpoint import AwsEndpoint\n"
        "S3Blobs(AwsEndpoint('us-east-1'), 'files').close()\n"
        "sys.exit(bool({'boto3', 's3transfer', 'botocore.client'} & sys.modules.keys()))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
