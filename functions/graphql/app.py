"""The Lambda function `graphql`: serves GraphQL, its schema, GraphiQL, health, and unknown addresses."""

from stratabase_aws.functions import http_handler

handler = http_handler("graphql")
