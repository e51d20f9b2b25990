"""The HTTP face of the service: API Gateway events in, responses out.

- `http` knows the protocol: messages, bodies, refusals, what an endpoint is. It knows nothing of the service.
- `auth` finds out who calls (Basic, Bearer), stops forged requests, and issues tokens.
- `api` has GraphQL, its schema, health and the OpenAPI document; `admin` has members; `pages` has what people
  see in a browser.
- `handler` is where a request comes in: it finds the endpoint, the caller and the response.

Imports point from `handler` to `auth` and `http`, and from `api`, `admin` and `pages` to `auth` and `http`.
Outside, only `operations`, `domain` and `model` are imported; `bootstrap` puts the endpoints together.
"""
