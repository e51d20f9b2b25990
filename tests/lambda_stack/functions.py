"""The functions of template.yaml in this process, and the context objects with which Lambda calls them."""

from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from time import monotonic
from typing import Any, NamedTuple

from tests.lambda_stack.template import FunctionDeclaration

Event = dict[str, Any]
Handler = Callable[[Event, Any], Any]


class LambdaFunction(NamedTuple):
    """A loaded function: its declaration in the template, and its handler."""

    declaration: FunctionDeclaration
    handler: Handler


def load_function(declaration: FunctionDeclaration) -> LambdaFunction:
    """Import the file of a function, and return the function."""
    spec = spec_from_file_location(f"_function_{declaration.name}", declaration.file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return LambdaFunction(declaration, getattr(module, declaration.entry))


class FunctionContext:
    """The context object of an invocation."""

    def __init__(self, function: FunctionDeclaration) -> None:
        self.function_name = function.name
        self.aws_request_id = "00000000-0000-4000-b000-000000000000"
        self._deadline = monotonic() + function.timeout

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until the invocation times out."""
        return max(0, int((self._deadline - monotonic()) * 1000))
