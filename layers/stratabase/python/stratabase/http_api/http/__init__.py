"""The protocol, without anything of the service: what every endpoint is made of.

Read in this order: `messages` (request and response), `api_gateway` (events to and from messages), `refusals`
(each with its status and headers), `endpoint` (an address, its operations, and how they are documented),
`shape` (the fields of a body), `body` (JSON, XML or a form, by `strict_json` and `xml`), `error_response`
(problem details). `media_type`, `language`, `compression`, `etag` and `cors` are one header field each.

Imports only `domain.refusal` and friends of the domain, and leaves.
"""
