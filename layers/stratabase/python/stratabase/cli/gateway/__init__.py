"""The local gateway: an emulation of API Gateway and Lambda, which calls the same functions as on AWS.

It converts an HTTP request to an event of API Gateway's REST (v1) proxy integration, calls a function, and
converts the result to an HTTP response. Read in this order: `app` (all steps of a request), `request` (its
head and body), `routes` (selects the function), `event`, `lambda_functions` (the functions and their context
objects), `responses`, and `errors` (the limits of AWS). `template` reads template.yaml, which defines the
deployed gateway, too.

The lower layer has the HTTP `server`, the `greenlets` in which calls wait without blocking a thread, and
`current_request`, which tells the supervisor what the event loop runs.

Imports `terminal` and the HTTP layer of the service.
"""
