"""A request that services refuse, and the expected issues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.scenarios.refusals import drafts
from tests.scenarios.refusals.issue import Issue

Data = dict[str, Any]

CREATING = ("create", "previewCreate", "validateCreate")
UPDATING = ("update", "previewUpdate", "validateUpdate")
SAVING = ("save", "preview", "validate")
IN_BULK = ("updateBulk", "validateUpdateBulk")

PREVIEWS = {"preview", "previewCreate", "previewUpdate"}
MUTATIONS = {"create", "update", "updateBulk", "save", "delete", "deleteBulk"}
INPUTS = {
    "create": "Create",
    "previewCreate": "DraftCreate",
    "validateCreate": "DraftCreate",
    "update": "Update",
    "previewUpdate": "DraftUpdate",
    "validateUpdate": "DraftUpdate",
    "updateBulk": "UpdateBulk",
    "validateUpdateBulk": "DraftUpdateBulk",
    "save": "Draft",
    "preview": "Draft",
    "validate": "Draft",
}
ISSUE = """sourceRequestReference userMessage issueLevel issueReferenceType issueType entityID _label
  _clientId entityName attributeNames roleNames applicationName profileName traceId"""
KEY = "it"
"""The response key of every service."""


@dataclass(frozen=True)
class Asked:
    """One request to one service."""

    class_name: str
    verb: str
    arguments: Mapping[str, Any]
    issues: Sequence[Issue]
    told: bool = False
    """Whether the response contains the issues as its result, and no errors."""
    shows: str | None = None
    """The selection of the query, where it matters."""

    @property
    def mutates(self) -> bool:
        return self.verb in MUTATIONS

    @property
    def shown(self) -> Any:
        """The expected data beside the issues. For a preview, this is the object, if it exists."""
        if self.verb not in PREVIEWS or any(map(_is_about_nothing, self.issues)):
            return None
        return {"_id": "1" if self.class_name == "House" else self.arguments["data"].get("_id")}

    @property
    def query(self) -> str:
        """The GraphQL document. The service stands at line 2, column 3."""
        value = {name: _type(self.class_name, self.verb, name) for name in self.arguments}
        declared = ", ".join(f"${name}: {type_}" for name, type_ in value.items())
        passed = ", ".join(f"{name}: ${name}" for name in value)
        head = f"{'mutation' if self.mutates else 'query'}{f'({declared})' if declared else ''}"
        call = f"{self.class_name}___{self.verb}{f'({passed})' if passed else ''}"
        return f"{head} {{\n  {KEY}: {call} {{ {self._selection} }}\n}}"

    @property
    def _selection(self) -> str:
        if self.shows:
            return self.shows
        if self.told:
            return f"isValid issues {{ {ISSUE} }}"
        if self.verb in {"delete", "deleteBulk"}:
            return "deleted"
        return "items { _id }" if self.verb in {"updateBulk", "getPage"} else "_id"


def _is_about_nothing(issue: Issue) -> bool:
    """Return whether an issue says that the object does not exist, or that nothing else was tested."""
    exceeds = issue.message.startswith("The request refers to") or " has at least " in issue.message
    return issue.at == "data._id" or exceeds


def _type(class_name: str, verb: str, argument: str) -> str:
    if argument == "data":
        return f"{class_name}{INPUTS[verb]}!"
    return {"_id": "ID!", "options": f"{class_name}PageOptions!"}[argument]


@dataclass(frozen=True)
class Case:
    """An invalid request, and all services by which a client may send it."""

    says: str
    ways: Sequence[Asked]

    def __str__(self) -> str:
        return self.says


def making(says: str, class_name: str, data: Data, *issues: Issue, without: Sequence[str] = ()) -> Case:
    """Return the case of a create that all services refuse.

    `data` has the form of `<C>Create`. `without` names services that cannot receive this request.
    """
    created = [_asked(class_name, verb, data, issues) for verb in CREATING]
    draft = drafts.new(class_name, data)
    saved = [_asked(class_name, verb, draft, _moved(class_name, data, issues)) for verb in SAVING]
    return Case(says, [way for way in (*created, *saved) if way.verb not in without])


def loosely(says: str, class_name: str, data: Data, *issues: Issue) -> Case:
    """Return the same for data that the type of `create` does not accept."""
    return making(says, class_name, data, *issues, without=["create"])


def changing(says: str, class_name: str, data: Data, *issues: Issue, without: Sequence[str] = ()) -> Case:
    """Return the case of an update that all services refuse.

    `data` has the form of `<C>Update`. The issues are about the object with its `_id`.
    """
    created = [_asked(class_name, verb, data, issues) for verb in UPDATING]
    draft = drafts.changed(class_name, data)
    saved = [_asked(class_name, verb, draft, _moved(class_name, data, issues)) for verb in SAVING]
    bulk = [_in_bulk(class_name, verb, data, issues) for verb in IN_BULK]
    return Case(says, [way for way in (*created, *saved, *bulk) if way.verb not in without])


def housing(says: str, data: Data, *issues: Issue) -> Case:
    """Return the case of an update of the singleton that all services refuse."""
    about = [issue.of("1") if issue.entity == "House" and issue.id is None else issue for issue in issues]
    return Case(says, [_asked("House", verb, data, about) for verb in UPDATING])


def filling(says: str, data: Data, *issues: Issue) -> Case:
    """Return the case of a form whose preview is refused. `data` has the form of `<C>Create`."""
    draft = _asked("Complaint", "preview", drafts.new("Complaint", data), issues)
    return Case(says, [_asked("Complaint", "previewCreate", data, issues), draft])


def ending(says: str, class_name: str, id_: str, *issues: Issue) -> Case:
    """Return the case of a deletion that all services refuse. In bulk, issues at `_id` are at the options."""
    ways = [
        Asked(class_name, "delete", {"_id": id_}, issues),
        Asked(class_name, "validateDelete", {"_id": id_}, issues, told=True),
        _all_deleted(class_name, id_, issues, "deleteBulk"),
        _all_deleted(class_name, id_, issues, "validateDeleteBulk"),
    ]
    return Case(says, ways)


def _asked(class_name: str, verb: str, data: Data, issues: Sequence[Issue]) -> Asked:
    return Asked(class_name, verb, {"data": data}, issues, told=verb.startswith("validate"))


def _moved(class_name: str, data: Data, issues: Sequence[Issue]) -> list[Issue]:
    return [replace(issue, at=drafts.place(class_name, data, issue.at)) for issue in issues]


def _in_bulk(class_name: str, verb: str, data: Data, issues: Sequence[Issue]) -> Asked:
    change = {name: value for name, value in data.items() if name != "_id"}
    arguments = {"data": change, "options": _only(data["_id"])}
    result = verb.startswith("validate")
    found = [_naming(issue, class_name, data["_id"]) for issue in issues]
    return Asked(
        class_name, verb, arguments, [*([] if result else [_none(class_name, "updated")]), *found], result
    )


def _naming(issue: Issue, class_name: str, id_: str) -> Issue:
    """Return an issue of a bulk service, which names the object of the run if it is about another one."""
    if (issue.entity == class_name and issue.id in (None, id_)) or id_ in issue.message:
        return issue
    return replace(issue, message=f'{class_name} "{id_}": {issue.message}')


def _all_deleted(class_name: str, id_: str, issues: Sequence[Issue], verb: str) -> Asked:
    result = verb.startswith("validate")
    found = [replace(issue, at="options") if issue.at == "_id" else issue for issue in issues]
    named = [_naming(issue, class_name, id_) for issue in found]
    found = [*([] if result else [_none(class_name, "deleted")]), *named]
    return Asked(class_name, verb, {"options": _only(id_)}, found, result)


def _only(id_: str) -> Data:
    return {"filter": {"_id___eq": id_}}


def _none(class_name: str, done: str) -> Issue:
    text = f"0 of 1 {class_name} object was {done}. For the rest, see the other issues."
    return Issue("SERVICE_HANDLER_ERROR", text, "options", "ENTITY", class_name)
