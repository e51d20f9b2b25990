"""The local gateway: an emulation of API Gateway and Lambda, which calls the same functions as on AWS.

It calls the functions of this service with a request, and any other function with an event of API Gateway's
REST (v1) proxy integration. It converts the result to an HTTP response. Read the files in this order:

- `connection`: parses requests, and sends the responses.
- `request`: the head and the body of a request.
- `bodies`: the memory for bodies, and its limit.
- `app`: all steps of a request.
- `routes`: selects the function.
- `event`: makes the request or the event that the function gets.
- `lambda_functions`: loads the functions, and makes their context objects.
- `responses`: converts results and errors to HTTP responses.
- `streams`: sends the bodies of functions that stream.
- `forwarded`: the address of a client behind proxies.
- `observer`: makes a record of each request for logs and metrics.
- `errors`: the limits of AWS, and the gateway's errors.
- `template`: reads template.yaml, which also defines the deployed gateway.

Below them are the HTTP `server`, whose `acceptor` accepts connections within the `connection_limit`, and the
`greenlets` in which calls wait without blocking a thread.
`current_request` tells the supervisor which request the event loop runs.

Imports `terminal` and the HTTP layer of the service.
"""
