"""An address of the service, and what answers there."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stratabase.edge.operation import Manner, Operation, Parameter
from stratabase.edge.refusals import MethodNotAllowed


def is_protected(address: str) -> bool:
    """Return whether an address (or a route's template) is answered only to members."""
    return address == "/auth" or address.startswith("/auth/")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A route's template, and an operation for each method that it knows.

    `head`: GET answers HEAD too, which is wrong where a GET does something.
    """

    resource: str
    operations: Mapping[str, Operation]
    head: bool = True
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """What the parameters of the template are."""

    @property
    def protected(self) -> bool:
        """Whether it is for members only."""
        return is_protected(self.resource)

    @property
    def allowed(self) -> tuple[str, ...]:
        """The methods that the address knows, OPTIONS among them."""
        head = ("HEAD",) if self._answers_head() else ()
        return tuple(dict.fromkeys((*self.operations, *head, "OPTIONS")))

    def operation(self, method: str) -> Operation:
        """Return what answers a method. Raises MethodNotAllowed."""
        operation = self._operation(method)
        if operation is None:
            allowed = ", ".join(self.allowed)
            raise MethodNotAllowed(f"{method} is not possible here; {allowed} are.", self.allowed)
        return operation

    def acts(self, method: str) -> bool:
        """Return whether a method may do more than read."""
        return method not in ("GET", "HEAD") or not self.head

    def manner(self, method: str) -> Manner:
        """Return in what form a method is refused; one that the address does not know, as its others are."""
        operation = self._operation(method)
        if operation is not None:
            return operation.refuses
        formatted = any(operation.formatted for operation in self.operations.values())
        return Manner.PROBLEM if formatted else Manner.JSON

    def _operation(self, method: str) -> Operation | None:
        return self.operations.get("GET" if method == "HEAD" and self._answers_head() else method)

    def _answers_head(self) -> bool:
        return self.head and "GET" in self.operations and "HEAD" not in self.operations
