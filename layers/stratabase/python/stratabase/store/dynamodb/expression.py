"""Expressions, in which names and values stand as placeholders: so any name and any value may be used."""

from typing import Any

from stratabase.store.dynamodb.record import Typed


class Placeholders:
    """The names and values of one request's expressions."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, Typed] = {}

    def name(self, stored: str) -> str:
        """Return the placeholder of an attribute."""
        return self._names.setdefault(stored, f"#{len(self._names)}")

    def value(self, value: Typed) -> str:
        """Return a placeholder of a value."""
        placeholder = f":{len(self._values)}"
        self._values[placeholder] = value
        return placeholder

    def parameters(self) -> dict[str, Any]:
        """Return what a request says of its placeholders: nothing of none, which DynamoDB would refuse."""
        names = {placeholder: name for name, placeholder in self._names.items()}
        said = {"ExpressionAttributeNames": names, "ExpressionAttributeValues": self._values}
        return {parameter: content for parameter, content in said.items() if content}
