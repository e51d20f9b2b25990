"""The building blocks of every endpoint: HTTP messages, bodies, refusals, and header fields.

Read in this order: `messages` (request and response), `api_gateway` (converts events and messages),
`refusals` (exceptions and their statuses), `endpoint` (an address with its operations and their
documentation), `shape` (the fields of a body), `body` (reads JSON, XML and forms, with `strict_json` and
`xml`), `error_response` (problem details). `media_type`, `language`, `compression`, `etag` and `cors`
implement one header field each.

Imports only refusals and members from the domain, messages, and single modules.
"""
