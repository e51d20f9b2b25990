"""The HTTP server: answers the requests of clients by the endpoints of the service.

Read the files in this order:

- `connection`: parses requests, and sends the responses.
- `request`: the head and the body of a request, and the `Request` that its endpoint gets.
- `bodies`: the memory for bodies, and its limit.
- `dispatcher`: all steps of a request.
- `routes`: finds the address of the endpoint.
- `responses`: converts responses and errors to what is sent, and sends bodies that are streams.
- `forwarded`: the address of a client behind proxies.
- `observer`: makes a record of each request for logs and metrics.
- `errors`: the limits of requests, and the errors of the server.

Below them are the HTTP `server`, whose `acceptor` accepts connections within a limit for each address, and
the `greenlets` of the core, in which calls wait without blocking a thread. `core.current_request` tells the
supervisor which request the event loop runs.

Imports the HTTP layer of the core.
"""
