"""The building blocks of every endpoint: HTTP messages, bodies, refusals, and header fields.

Read the files in this order:

- `messages`: requests and responses.
- `api_gateway`: converts API Gateway events to requests, and responses to results.
- `refusals`: the exceptions, and the table of their statuses.
- `endpoint`: an address with its operations and their documentation.
- `shape`: the fields of a body.
- `body`: reads and writes bodies in JSON and XML (with `strict_json` and `xml`), and reads forms.
- `error_response`: problem details.

`media_type`, `language`, `compression`, `etag`, `cors`, `byte_range`, `preconditions` and
`content_disposition` implement one header field or one group of them each.

Imports only refusals and members from the domain, messages, and single modules.
"""
