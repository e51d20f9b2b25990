"""The largest answer that a function can give."""

from collections.abc import Mapping
from typing import Any

import orjson

from stratabase.edge.event import Answer
from stratabase.edge.refusals import AnswerTooLarge

LARGEST_ANSWER = 6 * 1024 * 1024
"""Bytes as JSON, which is how an answer travels from Lambda to API Gateway."""
_WORST_ESCAPE = 6
"""A character takes at most so many bytes as JSON (`\\u0000`)."""
_DONE = "; what the mutation could do has been done: read before you repeat it."
_BESIDE_BODY = 64 * 1024
"""Bytes; status and headers never take as many."""


def check_size(answer: Answer, *, wrote: bool = False) -> None:
    """Raise AnswerTooLarge when the gateway would refuse the answer as it is sent, compressed or not.

    `wrote`: it tells of what may have been written.
    """
    size = excessive_size(answer, LARGEST_ANSWER)
    if size is not None:
        raise AnswerTooLarge(
            f"The answer would have {size:,} bytes; at most {LARGEST_ANSWER:,} can be sent. "
            f"Ask for smaller pages, or for fewer fields{_or_gzip(answer)}{_DONE if wrote else '.'}"
        )


def _or_gzip(answer: Answer) -> str:
    return "" if answer["isBase64Encoded"] else ", or accept gzip"


def excessive_size(answer: Mapping[str, Any], limit: int) -> int | None:
    """Return how many bytes an answer takes as JSON when they are more than a limit.

    Raises TypeError when it is not JSON, which is noticed only in one that may be too large.
    """
    if len(answer.get("body") or "") * _WORST_ESCAPE + _BESIDE_BODY < limit:
        return None
    size = len(orjson.dumps(answer))
    return size if size > limit else None
