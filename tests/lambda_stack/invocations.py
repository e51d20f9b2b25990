"""A proxy before the emulator of AWS that invokes functions of the stack, which the emulator lacks."""

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from benchmarks.runtime_api import FunctionFailed
from tests.lambda_stack.pool import FunctionPool
from tests.lambda_stack.proxy import Answer, ForwardingProxy, serve_proxy

_INVOCATION = re.compile(r"/2015-03-31/functions/([^/]+)/invocations")
ATTEMPTS = 3
"""As many as Lambda makes. It waits a minute before the second, and two before the third."""


@contextmanager
def invocation_proxy(address: str, pools: Mapping[str, FunctionPool]) -> Iterator[str]:
    """Run a proxy that invokes functions asynchronously, and forwards all else. Yield its address.

    `pools`: the functions by name. A function that fails is invoked again at once.
    """

    class Proxy(ForwardingProxy):
        """Answers invocations."""

        def respond(self, body: bytes) -> None:
            found = _INVOCATION.fullmatch(self.path)
            if found is None:
                self.send(self.forward(body))
                return
            assert self.headers["X-Amz-Invocation-Type"] == "Event"
            threading.Thread(target=_invoke, args=(pools[found[1]], body), daemon=True).start()
            self.send(Answer(202, [], b""))

    with serve_proxy(address, Proxy) as own_address:
        yield own_address


def _invoke(pool: FunctionPool, body: bytes) -> None:
    for _attempt in range(ATTEMPTS):
        try:
            pool.invoke(json.loads(body))
        except (FunctionFailed, TimeoutError):
            continue
        return
