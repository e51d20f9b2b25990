"""A proxy before the emulator of AWS that records what DynamoDB and S3 would charge for each request."""

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import ceil
from time import perf_counter
from typing import Any, NamedTuple

from tests.lambda_stack.proxy import ForwardingProxy, serve_proxy

_READ_UNIT_BYTES = 4096


class AwsCall(NamedTuple):
    """A request to AWS: its service and operation, when it began and ended, and its capacity units."""

    name: str
    """Such as `dynamodb:GetItem` or `s3:PUT`."""
    began: float
    ended: float
    read_units: float = 0
    write_units: float = 0


@contextmanager
def record_calls(address: str, calls: list[AwsCall]) -> Iterator[str]:
    """Run a proxy before an address that appends each request to `calls`, and yield its own address."""

    class Proxy(ForwardingProxy):
        """Forwards each request, and records it before the client has the response."""

        def respond(self, body: bytes) -> None:
            began = perf_counter()
            answer = self.forward(body)
            target = self.headers.get("X-Amz-Target", "")
            calls.append(_call(target, self._operation(), body, answer.body, (began, perf_counter())))
            self.send(answer)

        def _operation(self) -> str:
            """Return the method of a request to S3, LIST for a list of objects, which has another price."""
            return "LIST" if self.command == "GET" and "list-type=" in self.path else self.command

    with serve_proxy(address, Proxy) as own_address:
        yield own_address


def round_trips(calls: Sequence[AwsCall]) -> int:
    """Return the number of calls that follow one another. Of calls that overlap, one counts."""
    count, ended = 0, float("-inf")
    for call in sorted(calls, key=lambda call: call.ended):
        if call.began >= ended:
            count, ended = count + 1, call.ended
    return count


def _call(target: str, method: str, sent: bytes, received: bytes, interval: tuple[float, float]) -> AwsCall:
    service, _, operation = target.partition(".")
    if not service:
        return AwsCall(f"s3:{method}", *interval)
    if not service.startswith("DynamoDB"):
        return AwsCall(f"{service}:{operation}", *interval)
    request, response = json.loads(sent), json.loads(received)
    reads, writes = _read_units(operation, request, response), 0.0
    if operation not in _READS:
        writes = _charged(response.get("ConsumedCapacity") or {})
    return AwsCall(f"dynamodb:{operation}", *interval, reads, writes)


_READS = ("GetItem", "BatchGetItem", "Query", "TransactGetItems")


def _read_units(operation: str, request: Mapping[str, Any], response: Mapping[str, Any]) -> float:
    """Return the units of a read, computed from the sizes of its items: those of emulators are wrong."""
    if operation == "GetItem":
        return _units(_size(response.get("Item", {}))) * _factor(request)
    if operation == "Query":
        return _units(sum(map(_size, response.get("Items", ())))) * _factor(request)
    if operation == "BatchGetItem":
        return sum(
            _factor(wanted) * (len(wanted["Keys"]) - len(found) + sum(_units(_size(item)) for item in found))
            for table, wanted in request["RequestItems"].items()
            for found in [response.get("Responses", {}).get(table, [])]
        )
    if operation == "TransactGetItems":
        return sum(2.0 * _units(_size(each.get("Item", {}))) for each in response.get("Responses", ()))
    return 0


def _factor(request: Mapping[str, Any]) -> float:
    return 1.0 if request.get("ConsistentRead") else 0.5


def _units(size: int) -> int:
    return max(1, ceil(size / _READ_UNIT_BYTES))


def _size(item: Mapping[str, Any]) -> int:
    """Return the size of an item in DynamoDB's JSON in bytes: the names and values of its attributes."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(value: Mapping[str, Any]) -> int:
    ((type_, content),) = value.items()
    if type_ == "B":
        return len(b64decode(content))
    if type_ == "L":
        return 3 + sum(1 + _value_size(each) for each in content)
    if type_ == "M":
        return 3 + len(content) + _size(content)
    return 1 if type_ in {"BOOL", "NULL"} else len(str(content).encode())


def _charged(capacity: Any) -> float:
    """Return the write units that the emulator reports, which are right."""
    each = capacity if isinstance(capacity, list) else [capacity]
    return sum(float(one.get("CapacityUnits", 0)) for one in each)
