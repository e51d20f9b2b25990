"""The GraphQL face: model to schema, selection to fetch, result to answer."""
