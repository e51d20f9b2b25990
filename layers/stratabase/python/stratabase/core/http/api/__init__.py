"""The endpoints for programs: GraphQL, its schema as text (SDL), health, and the OpenAPI document.

Each endpoint has its own file or package. Imports `auth` and `http`.
"""
