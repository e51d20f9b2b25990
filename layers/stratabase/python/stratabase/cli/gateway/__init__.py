"""The local gateway: API Gateway and Lambda on this machine, in front of the same functions.

An HTTP request becomes the event of API Gateway's REST (v1) proxy integration, a function answers it, and its
result becomes an HTTP response. Read in this order: `app` (the whole way of a request), `request` (its head
and body), `routes` (which function it goes to), `event`, `lambda_functions` (loads the functions; their
context), `responses`, and `errors` (the limits of AWS, and what is refused). `template` reads template.yaml,
from which the deployed gateway is made too.

Beneath are the HTTP `server`, the `greenlets` in which functions wait without a thread, and
`current_request`, which tells the supervisor what the event loop works on.

Imports `terminal` and the HTTP layer of the service.
"""
