"""The checksum with which DynamoDB sends its answers."""

import zlib

from stratabase.store.dynamodb.client import Unanswered

CHECKSUM = "x-amz-crc32"
"""The header that has it."""


def check(checksum: str | None, content: bytes) -> None:
    """Raise Unanswered when the content is not what was sent."""
    if checksum is not None and checksum != str(zlib.crc32(content)):
        raise Unanswered("The answer's checksum is wrong.")
