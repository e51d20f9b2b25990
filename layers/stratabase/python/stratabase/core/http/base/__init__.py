"""The building blocks of every endpoint: HTTP messages, bodies, refusals, and header fields.

Read the files in this order:

- `messages`: requests and responses, and the parts of a request in what a server receives.
- `response_body`: compresses the bodies of responses, and limits their size.
- `refusals`: the exceptions, and the table of their statuses.
- `endpoint`: an address with its operations and their documentation.
- `shape`: the fields of a body.
- `body`: reads and writes bodies in JSON and XML (with `strict_json`), and reads forms.
- `error_response`: problem details.
- `authentication`: finds the caller of a request by the Authorization header, and rejects forged requests.

`media_type`, `language`, `cors`, `idempotency_key`, `preconditions` (with ranges) and
`content_disposition` implement one header field or one group of them each.

Imports only refusals and the caller from the domain, messages, and single modules.
"""
