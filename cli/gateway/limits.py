"""The limits of API Gateway and Lambda that the local gateway keeps too."""

HEAD = 10_240
"""Bytes of request line and headers. API Gateway counts the values; here the whole head counts, so that what
passes here passes there."""

BODY = 10 * 1024 * 1024
"""Bytes of a request's body, as sent."""

EVENT = 6 * 1024 * 1024
"""Bytes of an event as JSON, with the body as base64: Lambda's limit on a synchronous request."""

ANSWER = EVENT + 100
"""Bytes of an answer as JSON: Lambda's limit on a synchronous response (its error text says 6291556)."""

TIMEOUT = 29.0
"""Seconds that an integration may take."""

METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
"""What a route's ANY stands for; API Gateway leads no other method anywhere."""
