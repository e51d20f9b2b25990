"""A client that repeats requests whose answer was lost, and does mutations once."""

import uuid
from typing import Any

from gql import Client, GraphQLRequest
from gql.client import SyncClientSession
from gql.transport.requests import RequestsHTTPTransport


def open_client(base_url: str, application: str, tokens: Any) -> Client:
    """Return a client that checks each document against the schema that the member sees. See Tokens."""
    transport = RequestsHTTPTransport(
        f"{base_url}/auth/api/graphql/{application}",
        auth=tokens,
        retries=4,
        retry_backoff_factor=0.25,
        retry_status_forcelist=(502, 503, 504),
    )
    return Client(transport=transport, fetch_schema_from_transport=True)


def mutate(session: SyncClientSession, document: GraphQLRequest, **variables: Any) -> dict[str, Any]:
    """Execute a mutation. All attempts have the same key. Raises TransportQueryError with all issues."""
    transport = session.transport
    assert isinstance(transport, RequestsHTTPTransport)
    headers = {**(transport.headers or {}), "Idempotency-Key": str(uuid.uuid4())}
    request = GraphQLRequest(document, variable_values=variables)
    return session.execute(request, extra_args={"headers": headers})
