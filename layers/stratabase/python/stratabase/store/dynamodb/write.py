"""What DynamoDB is asked to do for an action: one request alone, or one part of a transaction."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from stratabase.store.dynamodb.condition import condition_text
from stratabase.store.dynamodb.expression import Placeholders
from stratabase.store.dynamodb.record import key_record, record_of
from stratabase.store.dynamodb.update import update_text
from stratabase.store.engine import ANYTHING, Action, Check, Delete, Patch, Put

Parameters = dict[str, Any]


class Write(NamedTuple):
    """An action as DynamoDB is asked to do it."""

    action: Action
    kind: str
    """What it is called in a transaction; alone, a writing one is called so with "Item" at its end."""
    parameters: Parameters

    @property
    def repeatable(self) -> bool:
        """Whether it may be sent alone, and again when its answer is lost: done twice, it is done once.

        A conditional delete that finds nothing cannot tell whether it was done before or by somebody else.
        """
        adds = isinstance(self.action, Patch) and bool(self.action.add)
        chooses = isinstance(self.action, Delete) and self.action.expect != ANYTHING
        return not (adds or chooses or self.kind == _CHECK)


def go_alone(writes: Sequence[Write]) -> bool:
    """Return whether this is one write that needs no transaction, and so costs half."""
    return len(writes) == 1 and writes[0].repeatable


def writes_of(table: str, actions: tuple[Action, ...]) -> list[Write]:
    """Return what to ask for; nothing for a check of nothing."""
    return [_write(table, action) for action in actions if not _is_idle(action)]


_CHECK = "ConditionCheck"


def _is_idle(action: Action) -> bool:
    return isinstance(action, Check) and action.expect == ANYTHING


def _write(table: str, action: Action) -> Write:
    placeholders = Placeholders()
    kind, parameters = _KINDS[type(action)](action, placeholders)
    condition = condition_text(action.expect, placeholders)
    if condition:
        parameters |= {
            "ConditionExpression": condition,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    return Write(action, kind, {"TableName": table} | parameters | placeholders.parameters())


def _put(put: Put, _: Placeholders) -> tuple[str, Parameters]:
    return "Put", {"Item": record_of(put.item)}


def _patch(patch: Patch, placeholders: Placeholders) -> tuple[str, Parameters]:
    update = update_text(patch, placeholders)
    if not update:
        return _check(Check(patch.key, patch.expect), placeholders)
    return "Update", {"Key": key_record(patch.key), "UpdateExpression": update}


def _delete(delete: Delete, _: Placeholders) -> tuple[str, Parameters]:
    return "Delete", {"Key": key_record(delete.key)}


def _check(check: Check, _: Placeholders) -> tuple[str, Parameters]:
    return _CHECK, {"Key": key_record(check.key)}


_KINDS: Mapping[type[Action], Callable[[Any, Placeholders], tuple[str, Parameters]]] = {
    Put: _put,
    Patch: _patch,
    Delete: _delete,
    Check: _check,
}
