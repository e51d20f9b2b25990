"""The local gateway: an emulation of API Gateway and Lambda, which calls the same functions as on AWS.

It converts an HTTP request to an event of API Gateway's REST (v1) proxy integration, calls a function, and
converts its result to an HTTP response. Read the files in this order:

- `app`: all steps of a request.
- `request`: reads the head and the body.
- `routes`: selects the function.
- `event`: makes the event.
- `lambda_functions`: loads the functions, and makes their context objects.
- `responses`: converts results and errors to HTTP responses.
- `streams`: sends the bodies of functions that stream.
- `errors`: the limits of AWS, and the gateway's errors.
- `template`: reads template.yaml, which also defines the deployed gateway.

Below them are the HTTP `server`, the `acceptor` of its connections, and the `greenlets` in which calls wait
without blocking a thread.
`current_request` tells the supervisor which request the event loop runs.

Imports `terminal` and the HTTP layer of the service.
"""
