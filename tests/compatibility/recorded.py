"""Compares responses with the recorded ones, ignoring texts for people, which may change."""

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.compatibility.requests import MODEL, Request, earlier_model
from tests.compatibility.service import PASSWORD, FrozenEnvironment, Service

KEPT = Path(__file__).parent / "kept"
_TEXTS = frozenset({"message", "userMessage", "detail", "title"})
_ID = re.compile(r"(?:\\u[0-9a-f]{4})+|([0-9a-v]{26})")
"""An id. Escaped control characters match too, so that their digits are not read as part of an id."""


class Conversation:
    """Sends requests to a service at given instants, and checks that each succeeds or fails as expected."""

    def __init__(
        self, service: Service, environment: FrozenEnvironment, names: Mapping[str, str] | None = None
    ) -> None:
        """Start after an earlier conversation, whose recorded names are in `names`."""
        self.names = dict(names or {})
        self._service = service
        self._world = environment
        self._instant = environment.now
        self._leaving: Any = None

    def hold(self, requests: Sequence[Request]) -> list[Any]:
        """Send requests, and return the responses."""
        return [self._send(number, request) for number, request in enumerate(requests)]

    def _send(self, number: int, request: Request) -> Any:
        # Sleeping advances the clock, but never beyond the instant of the next request.
        self._instant += request.after
        assert self._instant >= self._world.now
        self._world.now = self._instant
        variables = self._named(request.variables)
        trace = f"trace-{number}"
        if request.kind == "graphql":
            answer = self._service.graphql(request.by, trace, request.text, variables)
            check(("errors" in answer) == request.refused, request, answer)
            found = answer.get("data")
        elif request.kind.isupper():
            id_, body = variables.get("id"), variables.get("body")
            answer = found = self._service.rest(request.by, trace, request.kind, request.text, id_, body)
            check(answer["status"] < 300, request, answer)
            found = answer["body"]
        else:
            answer = found = getattr(self, f"_{request.kind}")(request)
        for name, path in request.keep.items():
            try:
                self.names[name] = _at(found, path)
            except Exception as error:
                raise AssertionError((name, request, answer)) from error
        return without_texts(answer)

    def _named(self, value: Any) -> Any:
        if isinstance(value, str) and value.startswith("@"):
            return self.names[value[1:]]
        if isinstance(value, Mapping):
            return {name: self._named(each) for name, each in value.items()}
        return [self._named(each) for each in value] if isinstance(value, list) else value

    def _serve_earlier_model(self, _: Request) -> None:
        self._service.open(earlier_model())

    def _serve_model(self, _: Request) -> None:
        self._service.open(MODEL)

    def _reindex(self, _: Request) -> None:
        self._service.reindex()

    def _sweep(self, _: Request) -> None:
        self._service.sweep()

    def _leave_deletions(self, _: Request) -> None:
        self._leaving = self._service.leaving()
        self._leaving.__enter__()

    def _end_deletions(self, _: Request) -> None:
        self._leaving.__exit__(None, None, None)

    def _set_password(self, _: Request) -> Any:
        body = {"token": self._service.mailed_token(), "password": PASSWORD}
        path = "/public/administration/setPassword"
        return self._service.rest("admin", "trace", "POST", path, None, body)["status"]

    def _forget_mail(self, _: Request) -> None:
        self._service.forget_mails()


def check(holds: bool, request: Request, answer: Any) -> None:
    """Raise AssertionError with the request and its response if a condition does not hold."""
    assert holds, (request, answer)


def without_texts(answer: Any) -> Any:
    """Return a response without the texts for people."""
    if isinstance(answer, dict):
        return {name: without_texts(each) for name, each in answer.items() if name not in _TEXTS}
    return [without_texts(each) for each in answer] if isinstance(answer, list) else answer


_INDEX = re.compile(r'"columns":\[([^\]]*)\][^{}]*?"number":(\d+)[^{}]*?"index":"\w+"')
"""An index in the registry: its columns, and its number."""
_PARTITION = re.compile(r"(?<=\w#)\d+\b")
"""The number in the name of an index partition, such as `Person#9`."""
_ABOUT_ITSELF = re.compile(r"META.*\b(slots|catalog|servedModels?)\b")
"""A line about an item in which the service notes what it serves and what it builds."""


def named(lines: Sequence[str], answers: Any) -> list[str]:
    """Return the lines, sorted, with placeholders for ids.

    Ids that responses show get names, and all others become their timestamps. So the result does not depend
    on the order in which ids are generated. It leaves out what the service notes about itself, which grows
    with each version, and has the columns of indexes instead of their numbers.
    """
    names: dict[str, str] = {}
    _name_ids(answers, "", names)
    registry = "".join(line.replace("\\", "") for line in lines if _ABOUT_ITSELF.search(line))
    columns = {number: f"[{found}]" for found, number in _INDEX.findall(registry)}
    known = (
        _PARTITION.sub(lambda found: columns.get(found[0], found[0]), line)
        for line in lines
        if not _ABOUT_ITSELF.search(line)
    )
    return sorted(_ID.sub(lambda found: names.get(found[0]) or _dated(found), line) for line in known)


def _dated(found: re.Match[str]) -> str:
    """Return the placeholder of an id that no response shows: its timestamp, which is its first 48 bits."""
    return f"<{int(found[1], 32) >> 82}>" if found[1] else found[0]


def same_names(answers: list[Any]) -> list[Any]:
    """Return responses in which each id is replaced by the path of its first occurrence."""
    names: dict[str, str] = {}
    _name_ids(answers, "", names)
    text = json.dumps(answers)
    return list(json.loads(_ID.sub(lambda found: names.get(found[0], found[0]), text)))


def digest(dump: Mapping[str, Sequence[str]], answers: Any) -> str:
    """Return a hash of a dump that does not depend on the ids."""
    lines = [line for file in sorted(dump) for line in named(dump[file], answers)]
    return sha256("\n".join(lines).encode()).hexdigest()


def _name_ids(answers: Any, path: str, names: dict[str, str]) -> None:
    if isinstance(answers, str):
        for number, id_ in enumerate(filter(None, _ID.findall(answers))):
            names.setdefault(id_, f"<{path}{number or ''}>")
    elif isinstance(answers, dict):
        for name, each in answers.items():
            _name_ids(each, f"{path}.{name}", names)
    elif isinstance(answers, list):
        for number, each in enumerate(answers):
            _name_ids(each, f"{path}.{number}", names)


def read_lines(name: str) -> list[str]:
    """Return the lines of a recorded file."""
    return (KEPT / name).read_text().split("\n")[:-1]


def write_lines(name: str, lines: Sequence[str]) -> None:
    """Write lines to a recorded file."""
    (KEPT / name).write_text("".join(f"{line}\n" for line in lines))


def read_json(name: str) -> Any:
    """Return the content of a recorded JSON file."""
    return json.loads((KEPT / name).read_text())


def write_json(name: str, value: Any) -> None:
    """Write a recorded JSON file. A list has one element per line."""
    if isinstance(value, list):
        lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in value)
        text = f"[\n{lines}\n]\n"
    else:
        text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    (KEPT / name).write_text(text)


def _at(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value
