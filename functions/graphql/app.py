"""The function `graphql`: the GraphQL endpoint, the schema as text, health, and every unknown address."""

from stratabase.bootstrap import http_handler

handler = http_handler("graphql")
