"""Idempotency records: what a mutation with an idempotency key keeps, so that its repetition writes nothing.

A mutation has several fields, and a bulk field has several commits. Each of them is a step with a record of
its own. A step that writes stores its record in the same commit, so it is done exactly if the record exists.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple

import orjson

from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.domain.objects.instant import Instant
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

KEY_LIFETIME = 24 * 60 * 60 * 1000
"""How long a key is kept after each step, in milliseconds."""

MAX_ANSWER_BYTES = 350_000
"""The maximum size of a kept answer: with its key, it fits in an item of DynamoDB, which has 400 KB."""

ERASED_ANSWER = "{}"
"""The kept answer of a field which showed an object that has been erased since."""


class IdempotencyKey(NamedTuple):
    """The idempotency key that a client has sent, and the fingerprint of the request that it came with."""

    text: str
    fingerprint: str
    """Equal requests have equal fingerprints. It reveals nothing of the request."""


@frozen
class IdempotencyRecord:
    """The record of one step of a mutation."""

    scope: str
    """What the key of the client is unique in, and the key itself, as a hash (`scope_of`)."""
    step: str
    """Which step of the mutation was done (`field_step`, `object_step`)."""
    fingerprint: str
    """That of the request."""
    expires: Instant
    """From this instant on, the record counts as missing."""
    answer: str = ""
    """The answer of a field, as JSON text. The commits of a bulk field have none."""


class IdempotencyKeyReused(Refusal):
    """A member has used an idempotency key before, for another request."""


def scope_of(application: str, member_id: str, key: str) -> str:
    """Return what identifies a key: the same text is another key for another member or application."""
    return sha256(orjson.dumps([application, member_id, key])).hexdigest()


def field_step(number: int) -> str:
    """Return the step of a root field, by its number in the mutation from 0."""
    return str(number)


def object_step(number: int, id_: str) -> str:
    """Return the step of a bulk field, by its number, that writes the object with an ID."""
    return f"{number}#{id_}"


def objects_done(number: int, records: Iterable[str]) -> list[str]:
    """Return the IDs of the objects that a bulk field has written, by the steps with a record."""
    prefix = object_step(number, "")
    return [step.removeprefix(prefix) for step in records if step.startswith(prefix)]


def records_of_request(
    records: Iterable[IdempotencyRecord], fingerprint: str, now: Instant
) -> Mapping[str, IdempotencyRecord]:
    """Return the records of a key by step, without expired ones.

    Raises IdempotencyKeyReused if they belong to another request.
    """
    valid = {record.step: record for record in records if record.expires > now}
    if any(record.fingerprint != fingerprint for record in valid.values()):
        raise IdempotencyKeyReused(
            _(
                "This Idempotency-Key was used for another request within the last 24 hours. "
                "Send a new key with each new request, and repeat a request unchanged."
            )
        )
    return valid
