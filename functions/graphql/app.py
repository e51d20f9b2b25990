"""The function `graphql`: the GraphQL endpoint, the schema as text, health, and every unknown address."""

from stratabase.bootstrap import graphql_function

handler = graphql_function()
