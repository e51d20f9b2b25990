"""The OpenAPI document, generated from the definitions that also serve the endpoints.

`document` assembles and serves the document. `paths` describes the endpoints, `responses` the responses that
operations share, and `schemas` the bodies. Imports `http`.
"""
