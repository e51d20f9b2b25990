"""A proxy before the emulator of AWS that records which permissions the requests of a function need."""

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from tests.lambda_stack.proxy import Answer, ForwardingProxy, serve_proxy

REGION, ACCOUNT = "us-east-1", "123456789012"
LEADING_KEYS, FROM_ADDRESS = "dynamodb:LeadingKeys", "ses:FromAddress"
_PARTITION_CONDITION = re.compile(r"(\S+) = (:\w+)")
_MAIL_ADDRESS = "/v2/email/outbound-emails"
_INVOCATION = re.compile(r"/2015-03-31/functions/([^/]+)/invocations")
_TRANSACTION_ACTIONS = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}


class Call(NamedTuple):
    """A permission that a request needs: an action, a resource, and the values of condition keys."""

    action: str
    resource: str
    """An ARN."""
    context: tuple[tuple[str, str], ...] = ()


class AwsRequest(NamedTuple):
    """A request to AWS, and the status of its answer."""

    method: str
    path: str
    """The path with the query."""
    headers: Mapping[str, str]
    """By lowercase name."""
    body: bytes
    status: int


class Recorder:
    """The calls of one function. `refuse` names requests that AWS is to refuse, by method and path."""

    def __init__(self) -> None:
        self.calls: set[Call] = set()
        self.mails: list[bytes] = []
        self.events: list[Any] = []
        """The events with which the function has asynchronously invoked others."""
        self.refuse: Callable[[str, str], bool] = lambda _method, _path: False

    @contextmanager
    def proxy(self, address: str) -> Iterator[str]:
        """Run a proxy that records the requests to an address, and yield its own address."""
        recorder = self

        class Proxy(ForwardingProxy):
            """Records, and forwards all requests but those of email and Lambda, which the emulator lacks."""

            def respond(self, body: bytes) -> None:
                answer = self._answer(body)
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = AwsRequest(self.command, self.path, headers, body, answer.status)
                recorder.calls.update(calls_of(request))
                self.send(answer)

            def _answer(self, body: bytes) -> Answer:
                if recorder.refuse(self.command, self.path):
                    return Answer(403, [], b"<Error><Code>AccessDenied</Code></Error>")
                if self.path == _MAIL_ADDRESS:
                    recorder.mails.append(base64.b64decode(json.loads(body)["Content"]["Raw"]["Data"]))
                    return Answer(200, [("Content-Type", "application/json")], b'{"MessageId": "1"}')
                if _INVOCATION.fullmatch(self.path):
                    assert self.headers["X-Amz-Invocation-Type"] == "Event"
                    recorder.events.append(json.loads(body))
                    return Answer(202, [], b"")
                return self.forward(body)

        with serve_proxy(address, Proxy) as own_address:
            yield own_address


def calls_of(request: AwsRequest) -> Iterator[Call]:
    """Yield the permissions that a request needs."""
    service, _, operation = request.headers.get("x-amz-target", "").partition(".")
    if service.startswith("DynamoDB"):
        yield from _dynamodb_calls(operation, json.loads(request.body))
    elif service == "secretsmanager":
        name = json.loads(request.body)["SecretId"]
        yield Call(f"secretsmanager:{operation}", f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:{name}")
    elif request.path == _MAIL_ADDRESS:
        yield from _mail_calls(json.loads(request.body))
    elif invoked := _INVOCATION.fullmatch(request.path):
        yield Call("lambda:InvokeFunction", unquote(invoked[1]))
    else:
        yield from _s3_calls(request)


def _dynamodb_calls(operation: str, body: Mapping[str, Any]) -> Iterator[Call]:
    if operation == "TransactWriteItems":
        for action in body["TransactItems"]:
            ((kind, parameters),) = action.items()
            yield _item_call(_TRANSACTION_ACTIONS[kind], parameters["TableName"], parameters)
    elif operation == "BatchGetItem":
        for table, wanted in body["RequestItems"].items():
            yield from (_item_call(operation, table, {"Key": key}) for key in wanted["Keys"])
    elif operation == "Query":
        found = _PARTITION_CONDITION.search(body["KeyConditionExpression"])
        assert found is not None, body["KeyConditionExpression"]
        key = body["ExpressionAttributeValues"][found[2]]["S"]
        index = f"/index/{body['IndexName']}" if "IndexName" in body else ""
        yield Call("dynamodb:Query", table_arn(body["TableName"]) + index, ((LEADING_KEYS, key),))
    elif "Key" in body or "Item" in body:
        yield _item_call(operation, body["TableName"], body)
    else:
        yield Call(f"dynamodb:{operation}", table_arn(body["TableName"]))


def _item_call(operation: str, table: str, parameters: Mapping[str, Any]) -> Call:
    key = (parameters.get("Key") or parameters["Item"])["pk"]["S"]
    return Call(f"dynamodb:{operation}", table_arn(table), ((LEADING_KEYS, key),))


def table_arn(name: str) -> str:
    """Return the ARN of a table."""
    return f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}"


def _mail_calls(body: Mapping[str, Any]) -> Iterator[Call]:
    """Yield both actions: SES checks an email with its headers as SendRawEmail, also in version 2."""
    sender = body["FromEmailAddress"]
    identity = f"arn:aws:ses:{REGION}:{ACCOUNT}:identity/{sender.partition('@')[2]}"
    for action in ("SendEmail", *(["SendRawEmail"] if "Raw" in body["Content"] else [])):
        yield Call(f"ses:{action}", identity, ((FROM_ADDRESS, sender),))


def _s3_calls(request: AwsRequest) -> Iterator[Call]:
    url = urlsplit(request.path)
    query = parse_qs(url.query, keep_blank_values=True)
    bucket, _, key = unquote(url.path).removeprefix("/").partition("/")
    if not key:
        yield from _bucket_calls(request, bucket, query)
        return
    at = object_arn(bucket, key)
    if request.method in {"GET", "HEAD"}:
        yield Call("s3:GetObject", at)
        if request.status == 404:  # S3 answers 403 to those who may not list the bucket
            yield Call("s3:ListBucket", f"arn:aws:s3:::{bucket}")
    elif request.method == "DELETE":
        yield Call("s3:AbortMultipartUpload" if "uploadId" in query else "s3:DeleteObject", at)
    else:
        yield Call("s3:PutObject", at)
        if source := request.headers.get("x-amz-copy-source"):
            source_bucket, _, source_key = unquote(source).removeprefix("/").partition("/")
            yield Call("s3:GetObject", object_arn(source_bucket, source_key))
            if request.status == 404:
                yield Call("s3:ListBucket", f"arn:aws:s3:::{source_bucket}")


def _bucket_calls(request: AwsRequest, bucket: str, query: Mapping[str, list[str]]) -> Iterator[Call]:
    if request.method == "GET":
        action = "s3:ListBucketVersions" if "versions" in query else "s3:ListBucket"
        yield Call(action, f"arn:aws:s3:::{bucket}")
    elif "delete" in query:
        for each in re.findall(r"<Object>.*?</Object>", request.body.decode(), re.DOTALL):
            action = "s3:DeleteObjectVersion" if "<VersionId>" in each else "s3:DeleteObject"
            (key,) = re.findall(r"<Key>(.*?)</Key>", each)
            yield Call(action, object_arn(bucket, key))
    else:
        yield Call(f"s3:{request.method} {request.path}", f"arn:aws:s3:::{bucket}")


def object_arn(bucket: str, key: str) -> str:
    """Return the ARN of an object in a bucket."""
    return f"arn:aws:s3:::{bucket}/{key}"
