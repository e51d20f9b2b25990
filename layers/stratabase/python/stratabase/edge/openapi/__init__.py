"""The OpenAPI document, made of the same definitions that serve the endpoints."""
