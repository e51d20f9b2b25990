"""The endpoints for programs: `graphql`, its schema as text (`sdl`), `health`, and the document of `openapi`.

Imports `core.http.base`.
"""
