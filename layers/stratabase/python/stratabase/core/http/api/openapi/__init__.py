"""The OpenAPI document, generated from the definitions that also serve the endpoints.

`document` describes the endpoints, and serves the document. `responses` has the responses that operations
share, and the schemas of bodies. Imports `core.http.base`.
"""
