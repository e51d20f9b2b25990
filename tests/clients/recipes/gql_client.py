"""A client that repeats requests whose answer was lost, and does mutations once."""

import uuid
from datetime import date, time
from decimal import Decimal
from typing import Any

from gql import Client, GraphQLRequest
from gql.client import SyncClientSession
from gql.transport.requests import RequestsHTTPTransport


def open_client(base_url: str, application: str, tokens: Any, schema: str | None = None) -> Client:
    """Return a client that checks each document against a schema. See Tokens.

    `schema`: the text of the schema. Without it, the client reads the schema that the member sees.
    """
    transport = RequestsHTTPTransport(
        f"{base_url}/auth/api/graphql/{application}",
        auth=tokens,
        retries=4,
        retry_backoff_factor=0.25,
        retry_status_forcelist=(502, 503, 504),
    )
    return Client(transport=transport, schema=schema, fetch_schema_from_transport=schema is None)


def execute(
    session: SyncClientSession,
    document: GraphQLRequest,
    *,
    idempotency_key: str | None = None,
    **variables: Any,
) -> dict[str, Any]:
    """Execute a query or a mutation. All attempts have the same key.

    Variables can be Decimals, dates, times and datetimes. Raises TransportQueryError with all issues.
    """
    transport = session.transport
    assert isinstance(transport, RequestsHTTPTransport)
    headers = {**(transport.headers or {}), "Idempotency-Key": idempotency_key or str(uuid.uuid4())}
    request = GraphQLRequest(document, variable_values=_to_json(variables))
    return session.execute(request, extra_args={"headers": headers})


def _to_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _to_json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(each) for each in value]
    if isinstance(value, Decimal):
        return str(value)
    return value.isoformat() if isinstance(value, date | time) else value
