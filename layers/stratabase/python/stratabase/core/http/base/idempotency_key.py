"""The request header Idempotency-Key, and the fingerprint of a GraphQL request.

In the draft of the IETF, the header is a string of structured fields (RFC 9651), so it has quotes. Most
clients send the key without quotes, and this is accepted too. Both forms are the same key.
"""

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from stratabase.core.domain.objects.idempotency import IdempotencyKey
from stratabase.core.http.base.messages import Request
from stratabase.core.http.base.refusals import Malformed
from stratabase.values.messages import _

IDEMPOTENCY_KEY = "Idempotency-Key"
REPLAYED_HEADER = ("Idempotent-Replayed", "true")
"""A header of responses that repeat the answer to an earlier request with the same key."""
MAX_KEY_LENGTH = 255
EXAMPLE_KEY = "8e03978e-40d5-43e8-bc93-6894a57f9324"
_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
_ESCAPED = re.compile(r'\\(["\\])')
_VISIBLE = re.compile(r"[\x21-\x7e]{1,255}")


def parse_idempotency_key(values: tuple[str, ...]) -> str:
    """Return the key in the values of the header. Raises Malformed."""
    if len(values) != 1:
        raise Malformed(_("Send the Idempotency-Key header only once."))
    text = values[0].strip(" \t")
    if text.startswith('"'):
        quoted = _QUOTED.fullmatch(text)
        if quoted is None:
            message = _(
                'The Idempotency-Key header is not valid. Use a random UUID, such as "{example}", with or '
                "without quotation marks.",
                example=EXAMPLE_KEY,
            )
            raise Malformed(message)
        text = _ESCAPED.sub(r"\1", quoted[1])
    if _VISIBLE.fullmatch(text) is None:
        message = _(
            "The Idempotency-Key header must have 1 to {maximum} visible ASCII characters, without spaces. "
            'Use a random UUID, such as "{example}".',
            maximum=MAX_KEY_LENGTH,
            example=EXAMPLE_KEY,
        )
        raise Malformed(message)
    return text


def idempotency_key(
    request: Request, query: str, variables: Mapping[str, Any] | None, operation_name: str | None
) -> IdempotencyKey:
    """Return the key of a GraphQL request that has the header. Raises Malformed.

    Requests are equal if their documents have the same text, and if their variables and operation names are
    equal. The order of the fields in their JSON does not matter.
    """
    text = parse_idempotency_key(request.headers[IDEMPOTENCY_KEY.lower()])
    # Fractions with many digits are Decimal. Not orjson, which refuses large whole numbers.
    content = json.dumps([query, variables or {}, operation_name], default=repr, sort_keys=True)
    return IdempotencyKey(text, sha256(content.encode()).hexdigest())
