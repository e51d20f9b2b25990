"""The distributed engine: one DynamoDB table, shared by any number of processes."""

from collections.abc import Iterator, Sequence

from stratabase.store.dynamodb.client import Client
from stratabase.store.dynamodb.insistence import Insistent, Patience
from stratabase.store.dynamodb.reading import look_up
from stratabase.store.dynamodb.span import span
from stratabase.store.dynamodb.writing import write
from stratabase.store.engine import EVERYTHING, Batch, Bounds, Item, Key

PATIENT = Patience()


class DynamoDBEngine:
    """Keeps items in one table (see table_definition).

    A `get` of several keys may see a part of a batch that is being committed; each item is seen whole.

    One write by itself whose answer is lost is done twice where what it expects is true again: if it expects
    nothing, so that it also covers what came in between; or if it puts an item where none is, and others
    have deleted that in between. Conditional deletes and several writes together have a token against it.
    """

    def __init__(self, client: Client, table: str, patience: Patience = PATIENT) -> None:
        self._client = client
        self._insistent = Insistent(client, patience)
        self._table = table

    def get(self, keys: Sequence[Key]) -> list[Item | None]:
        """Return the items in the order of `keys`, None where there is none; what was committed is seen."""
        return look_up(self._insistent, self._table, keys)

    def range(  # noqa: PLR0913 - as the port has it
        self,
        index: str,
        partition: str,
        bounds: Bounds = EVERYTHING,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page."""
        found = span(index, partition, bounds, backward=backward, exact=exact)
        return found.pages(self._insistent, self._table, limit)

    def commit(self, batch: Batch) -> None:
        """Do all actions or none. Raises ExpectationFailed, Unavailable."""
        write(self._insistent, self._table, batch)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()
