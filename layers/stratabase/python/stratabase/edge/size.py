"""The largest answer that a function can give."""

import orjson

from stratabase.edge.event import Answer
from stratabase.edge.refusals import AnswerTooLarge

LARGEST_ANSWER = 6 * 1024 * 1024
"""Bytes as JSON, which is how an answer travels from Lambda to API Gateway."""
_WORST_ESCAPE = 6
"""A character takes at most so many bytes as JSON (`\\u0000`)."""
_BESIDE_BODY = 64 * 1024
"""Bytes; status and headers never take as many."""


def check_size(answer: Answer) -> None:
    """Raise AnswerTooLarge when the gateway would refuse the answer."""
    if len(answer["body"]) * _WORST_ESCAPE + _BESIDE_BODY < LARGEST_ANSWER:
        return
    size = len(orjson.dumps(answer))
    if size > LARGEST_ANSWER:
        raise AnswerTooLarge(
            f"The answer would have {size:,} bytes; at most {LARGEST_ANSWER:,} can be sent. "
            "Ask for smaller pages, or for fewer fields; what a mutation asked for has been done."
        )
