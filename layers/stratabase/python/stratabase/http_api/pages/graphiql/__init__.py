"""The GraphiQL page: a form to sign in, and the playground behind it. Its sources are in tools/graphiql."""
