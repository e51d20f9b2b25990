"""Makes the table where nobody else does: in an emulator. On AWS, the template makes it."""

from stratabase.store.dynamodb.client import Client, Rejected
from stratabase.store.dynamodb.table import table_definition


def ensure_table(client: Client, name: str) -> None:
    """Make the table unless it is there. Raises Rejected, Unanswered."""
    try:
        client.call("CreateTable", table_definition(name))
    except Rejected as refusal:
        if refusal.code != "ResourceInUseException":
            raise
