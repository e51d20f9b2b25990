"""The GraphiQL page: a sign-in form, and then GraphiQL. Its sources are in tools/graphiql."""
