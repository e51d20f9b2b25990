// Apollo Client, with its normalized cache.
import { ApolloClient, CombinedGraphQLErrors, HttpLink, InMemoryCache, gql } from "@apollo/client/core";

import { ADDRESS, SIGNED_IN, play, short } from "./scenario.mjs";

const client = new ApolloClient({
  link: new HttpLink({ uri: ADDRESS, headers: SIGNED_IN }),
  cache: new InMemoryCache({ typePolicies: { Book: { keyFields: ["_id"] } } }),
});

await play({
  mutate: async (document, variables) => (await client.mutate({ mutation: gql(document), variables })).data,
  query: async (document, variables) => (await client.query({ query: gql(document), variables })).data,
  half: async (document) => {
    const { data, error } = await client.query({ query: gql(document), errorPolicy: "all" });
    return { data, errors: error.errors.map(short) };
  },
  errorsOf: (error) => (CombinedGraphQLErrors.is(error) ? error.errors : []),
});
