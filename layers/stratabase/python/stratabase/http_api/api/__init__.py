"""What programs use: `graphql`, its schema as text (`sdl`), `health`, and the OpenAPI document (`openapi`).

One file for each endpoint. Imports `auth` and `http`.
"""
