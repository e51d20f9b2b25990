"""The HTTP interface of the service: takes requests and returns responses.

- `handler` receives each request. It authenticates the caller, finds the endpoint and returns the response.
- `base` implements the protocol: messages, bodies, refusals, authentication, and the definition of an
  endpoint. It does not depend on what the service does.
- `api` has the endpoints for programs: GraphQL, its schema, health and the OpenAPI document.
- `files` has the endpoints of files.
- `pages` has the web pages.

The endpoints and pages of members are in the package `members`. `handler`, `api`, `files` and `pages` import
`base`. Outside this package, only `operations`, `domain`, `model` and lower packages are imported.
`app` assembles the endpoints.
"""
