"""Reads samconfig.toml, and changes single values of it. Comments and all else stay as they are."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stratabase.terminal.command_error import MISUSED, CommandError

CONFIGURATION = Path("samconfig.toml")
_HEADER = re.compile(r"\s*\[([^\[\]]*)\]\s*(?:#.*)?")
Table = tuple[str, ...]
"""The path of a table, such as `("dev", "global", "parameters")`."""


def read_document(path: Path = CONFIGURATION) -> Mapping[str, Any]:
    """Return the tables of the file. Raises CommandError if it is missing or no TOML."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise CommandError(
            f"Reading {path} failed: {error.strerror}. Run the command in the folder with template.yaml.",
            MISUSED,
        ) from error
    except ValueError as error:
        raise CommandError(f"{path} is not valid TOML: {error}.", MISUSED) from error


def save_values(path: Path, values: Mapping[Table, Mapping[str, str]]) -> None:
    """Set the values of tables in the file, all or none. Raises CommandError if that isn't possible."""
    text = path.read_text("utf-8")
    wanted = tomllib.loads(text)
    changed = text
    for table, entries in values.items():
        for name, value in entries.items():
            changed = _set_value(changed, table, name, _quote(value))
            _put(wanted, table, name, value)
    # Unusual ways to write a table are not found. Then nothing changes, rather than something wrong.
    if _parse(changed) != wanted:
        lines = "\n".join(
            f"  [{'.'.join(table)}] {name} = {_quote(value)}"
            for table, entries in values.items()
            for name, value in entries.items()
        )
        raise CommandError(f"{path} could not be changed. Set these values in it:\n{lines}")
    if changed != text:
        path.write_text(changed, "utf-8")


def _set_value(text: str, table: Table, name: str, quoted: str) -> str:
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if _table_of(line) == table), None)
    assignment = f"{name} = {quoted}"
    if start is None:
        lines += ["", f"[{'.'.join(table)}]", assignment]
        return "\n".join(lines).lstrip("\n") + "\n"
    first, last = _find_assignment(lines, start + 1, name)
    lines[first:last] = [assignment]
    return "\n".join(lines) + "\n"


def _table_of(line: str) -> Table | None:
    """Return the table that a line begins, None if it begins none, or writes its path in an unusual way."""
    header = _HEADER.fullmatch(line)
    return None if header is None else tuple(part.strip() for part in header[1].split("."))


def _find_assignment(lines: list[str], start: int, name: str) -> tuple[int, int]:
    """Return the first line of an assignment in the table and the line after it, or where to insert it."""
    end = start
    for number in range(start, len(lines)):
        line = lines[number].strip()
        if line.startswith("["):
            break
        key, equals, _ = line.partition("=")
        if equals and key.strip() == name:
            # A list can take several lines.
            for last in range(number + 1, len(lines) + 1):
                if _parse("\n".join(lines[number:last])) is not None:
                    return number, last
        if line:
            end = number + 1
    return end, end


def _put(document: dict[str, Any], table: Table, name: str, value: str) -> None:
    for each in table:
        document = document.setdefault(each, {})
    document[name] = value


def _parse(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _quote(value: str) -> str:
    """Return a string of TOML, in single quotes if the value has double ones."""
    is_literal = '"' in value and "'" not in value and value.isprintable()
    return f"'{value}'" if is_literal else json.dumps(value, ensure_ascii=False)
