"""`@file(extensions, maxSize)`: the files that an attribute accepts."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from stratabase.core.model.constraints.base import (
    ArgumentError,
    Arguments,
    Constraint,
    ConstraintArgument,
    Violation,
    falls,
    loses_items,
)
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.file import FileType
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import _, ngettext, or_list
from stratabase.values.wording import shorten

_EXTENSION = re.compile(r"[A-Za-z0-9]+([._-][A-Za-z0-9]+)*")


@frozen
class FileExtensions(Constraint):
    """The allowed file name extensions, in lowercase and without the dot."""

    directive: ClassVar[str] = "file"
    arguments: ClassVar[Mapping[str, ConstraintArgument]] = {
        "extensions": ConstraintArgument(
            "extensions", "[String!]", "File name extensions, without the dot.", loses_items
        )
    }
    issues: ClassVar[tuple[str, ...]] = ("ATTRIBUTE_FILE_TYPE",)
    types: ClassVar[tuple[type[AttributeType], ...]] = (FileType,)

    extensions: tuple[str, ...]

    @classmethod
    def find_errors(cls, arguments: Arguments, type_: AttributeType) -> Iterator[ArgumentError]:
        """Yield an error for each extension that is invalid or repeated, and one for an empty list."""
        extensions = arguments.get("extensions")
        if extensions == ():
            yield ArgumentError("extensions", "No file is possible: extensions is empty. Add an extension.")
        seen: set[str] = set()
        for number, extension in enumerate(extensions or ()):
            if not _EXTENSION.fullmatch(extension):
                name = shorten(extension)
                message = (
                    f'"{name}" is not a valid file extension. Use an extension without the dot, such as pdf.'
                )
                yield ArgumentError("extensions", message, number, (extension.strip(" .*"),))
            elif extension.lower() in seen:
                message = f'"{extension}" is listed more than once (case is ignored). Remove one.'
                yield ArgumentError("extensions", message, number)
            seen.add(extension.lower())

    @classmethod
    def build(cls, arguments: Arguments, type_: AttributeType) -> Self | None:
        """Return the constraint, or None if no extensions are listed."""
        extensions = arguments.get("extensions")
        return cls(tuple(extension.lower() for extension in extensions)) if extensions else None

    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield a violation if a file name has another extension."""
        name = stored["name"].lower()
        if not any(name.endswith(f".{extension}") for extension in self.extensions):
            message = _(
                "The type of the file {name} is not allowed. Use a file with the extension {extensions}.",
                name=describe_value(stored["name"]),
                extensions=or_list(self.extensions),
            )
            yield Violation("ATTRIBUTE_FILE_TYPE", message)


@frozen
class FileSize(Constraint):
    """The maximum size of a file, in bytes."""

    directive: ClassVar[str] = "file"
    arguments: ClassVar[Mapping[str, ConstraintArgument]] = {
        "maxSize": ConstraintArgument("maximum", "Int", "The maximum size in bytes.", falls)
    }
    issues: ClassVar[tuple[str, ...]] = ("ATTRIBUTE_FILE_SIZE",)
    types: ClassVar[tuple[type[AttributeType], ...]] = (FileType,)

    maximum: int

    @classmethod
    def find_errors(cls, arguments: Arguments, type_: AttributeType) -> Iterator[ArgumentError]:
        """Yield an error if the size is less than 1."""
        size = arguments.get("maxSize")
        if size is not None and size < 1:
            yield ArgumentError("maxSize", "maxSize must be a number of bytes, 1 or more.")

    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield a violation if a file is too large."""
        size = stored["size"]
        if size > self.maximum:
            message = ngettext(
                "The file has {count} byte. The maximum is {maximum}.",
                "The file has {count} bytes. The maximum is {maximum}.",
                size,
                maximum=self.maximum,
            )
            yield Violation("ATTRIBUTE_FILE_SIZE", message)
