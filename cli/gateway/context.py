"""The context object that Lambda hands to a function beside the event."""

from time import monotonic

from cli.gateway.event import ACCOUNT, STAGE, new_request_id
from cli.gateway.template import Function


class Context:
    """What a function can ask about its own invocation."""

    __slots__ = ("_deadline", "_function", "_request_id")

    function_version = "$LATEST"
    log_stream_name = STAGE
    identity = None
    client_context = None

    def __init__(self, function: Function) -> None:
        self._function = function
        self._deadline = monotonic() + function.timeout
        self._request_id = ""

    @property
    def aws_request_id(self) -> str:
        """Lambda's id of this invocation (not the gateway's id of the request)."""
        self._request_id = self._request_id or new_request_id()
        return self._request_id

    @property
    def function_name(self) -> str:
        """The function's name in the template."""
        return self._function.name

    @property
    def invoked_function_arn(self) -> str:
        """The function's address."""
        return f"arn:aws:lambda:{STAGE}:{ACCOUNT}:function:{self._function.name}"

    @property
    def log_group_name(self) -> str:
        """Where Lambda would keep its logs."""
        return f"/aws/lambda/{self._function.name}"

    @property
    def memory_limit_in_mb(self) -> str:
        """The function's memory, a text as in Lambda's own runtime."""
        return str(self._function.memory)

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the function may still take."""
        return max(0, int((self._deadline - monotonic()) * 1000))
