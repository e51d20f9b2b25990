"""The endpoints for programs: `graphql`, its schema as text (`sdl`), `health`, and the document of `openapi`.

`model_description` describes the model for clients of any model.

Imports `core.http.base`.
"""
