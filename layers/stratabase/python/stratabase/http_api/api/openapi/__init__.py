"""The OpenAPI document, made of the same definitions that serve the endpoints.

`document` puts it together and serves it, `paths` describes endpoints, `responses` the refusals that they
share, `schemas` the bodies. Imports `http`.
"""
