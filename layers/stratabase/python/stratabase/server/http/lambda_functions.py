"""Emulation of Lambda: loads each function from its file, and creates the context object of a call."""

import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from time import monotonic
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from stratabase.server.http.event import ACCOUNT, STAGE, Event, new_request_id
from stratabase.server.http.template import FunctionDeclaration
from stratabase.terminal.command_error import CommandError

Handler = Callable[[Event, Any], Any]


class LambdaFunction(NamedTuple):
    """A loaded Lambda function: its declaration in the template, and its handler."""

    declaration: FunctionDeclaration
    handler: Handler


class _UncachedLoader(SourceFileLoader):
    """A loader without a cache: Python's cache compares sizes and whole seconds, so it can miss an edit."""

    def get_code(self, fullname: str) -> CodeType | None:
        return self.source_to_code(self.get_data(self.get_filename(fullname)), self.path)


def load_function(declaration: FunctionDeclaration) -> LambdaFunction:
    """Import the file of a function, and return the function.

    Raises CommandError if the file or the handler does not exist, and any exception of the import.
    """
    handler = getattr(_import_file(declaration), declaration.entry, None)
    if not callable(handler):
        raise CommandError(
            f'{declaration.file} has no function "{declaration.entry}". The template names it as the handler.'
        )
    return LambdaFunction(declaration, handler)


def _import_file(declaration: FunctionDeclaration) -> ModuleType:
    name = f"_function_{declaration.name}"
    loader = _UncachedLoader(name, str(declaration.file))
    spec = spec_from_file_location(name, declaration.file, loader=loader)
    if spec is None or spec.loader is None or not declaration.file.is_file():
        raise CommandError(
            f"{declaration.file} does not exist. The template names it for the function {declaration.name}."
        )
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FunctionContext:
    """The context object that Lambda passes to a handler together with the event."""

    __slots__ = ("_deadline", "_function", "_request_id")

    function_version = "$LATEST"
    log_stream_name = STAGE
    identity = None
    client_context = None

    def __init__(self, function: FunctionDeclaration) -> None:
        self._function = function
        self._deadline = monotonic() + function.timeout
        self._request_id = ""

    @property
    def aws_request_id(self) -> str:
        """The id of this invocation, which differs from the request id of the gateway."""
        self._request_id = self._request_id or new_request_id()
        return self._request_id

    @property
    def function_name(self) -> str:
        """The name of the function in the template."""
        return self._function.name

    @property
    def invoked_function_arn(self) -> str:
        """The ARN of the function."""
        return f"arn:aws:lambda:{STAGE}:{ACCOUNT}:function:{self._function.name}"

    @property
    def log_group_name(self) -> str:
        """The name of the function's log group."""
        return f"/aws/lambda/{self._function.name}"

    @property
    def memory_limit_in_mb(self) -> str:
        """The memory of the function, a string as in Lambda's runtime."""
        return str(self._function.memory)

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until the invocation times out."""
        return max(0, int((self._deadline - monotonic()) * 1000))
