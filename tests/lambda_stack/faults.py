"""A proxy before the emulator of AWS that throttles, fails, hangs, and loses or repeats what is sent."""

import json
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.lambda_stack.proxy import Answer, ForwardingProxy, serve_proxy

FAULTS = ("throttle", "fail", "lose request", "lose answer", "repeat", "hang")
WEIGHTS = (6, 4, 4, 4, 4, 1)
HANG = 8.0
"""Seconds, longer than a client waits."""


class _FaultyProxy(ForwardingProxy):
    chance: random.Random
    rate: float

    def respond(self, body: bytes) -> None:
        """Answer the request, if chance does not decide otherwise."""
        fault = self._fault()
        if fault == "hang":
            time.sleep(HANG)
        if fault in {"lose request", "hang"}:
            self.close_connection = True
            return
        if fault in {"throttle", "fail"}:
            self.send(self._refusal(fault))
            return
        answer = self.forward(body)
        if fault == "repeat":
            answer = self.forward(body)
        if fault == "lose answer":
            self.close_connection = True
            return
        self.send(answer)

    def _fault(self) -> str | None:
        if self.chance.random() >= self.rate:
            return None
        return self.chance.choices(FAULTS, WEIGHTS)[0]

    def _refusal(self, fault: str) -> Answer:
        """Return the answer of DynamoDB, or of S3."""
        if "X-Amz-Target" in self.headers:
            kind = "ThrottlingException" if fault == "throttle" else "InternalServerError"
            status = 400 if fault == "throttle" else 500
            content = {"__type": f"com.amazonaws.dynamodb.v20120810#{kind}", "message": "injected"}
            body, type_ = json.dumps(content).encode(), "application/x-amz-json-1.0"
        else:
            code, status = ("SlowDown", 503) if fault == "throttle" else ("InternalError", 500)
            body = f"<Error><Code>{code}</Code><Message>injected</Message></Error>".encode()
            type_ = "application/xml"
        return Answer(status, [("Content-Type", type_)], body)


@contextmanager
def fault_proxy(address: str, faults: str) -> Iterator[str]:
    """Run a proxy before an address, and yield its address. `faults`: a seed and a share, such as `7:5%`."""
    seed, _, percent = faults.partition(":")

    class Proxy(_FaultyProxy):
        """Each proxy has its own chance."""

        chance = random.Random(int(seed))
        rate = float(percent.rstrip("%")) / 100

    with serve_proxy(address, Proxy) as own_address:
        yield own_address
