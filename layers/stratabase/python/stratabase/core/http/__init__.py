"""The HTTP interface of the service: takes API Gateway events and returns responses.

- `handler` receives each request. It authenticates the caller, finds the endpoint and returns the response.
- `http` implements the protocol: messages, bodies, refusals, and the definition of an endpoint. It does not
  depend on what the service does.
- `auth` authenticates callers (Basic and Bearer), rejects forged requests, and issues tokens.
- `api` has the endpoints for programs: GraphQL, its schema, health and the OpenAPI document.
- `admin` has the endpoints that administer members.
- `files` has the endpoints of files.
- `pages` has the web pages.

`handler`, `api`, `admin`, `files` and `pages` import `auth` and `http`. Outside this package, only
`operations`, `domain`, `model` and lower packages are imported. `bootstrap` assembles the endpoints.
"""
