"""The multithreaded AWS emulator, which starts once per test process and ends with it."""

import atexit
from contextlib import ExitStack
from functools import cache

from stratabase_aws.commands.emulator import emulator
from stratabase_aws.endpoint import AwsEndpoint, Credentials


@cache
def endpoint() -> AwsEndpoint:
    """Return the endpoint of the emulator. If its environment is missing, fail and say how to create it."""
    running = ExitStack()
    address = running.enter_context(emulator())
    atexit.register(running.close)
    return AwsEndpoint("us-east-1", address, Credentials("test", "test"))
