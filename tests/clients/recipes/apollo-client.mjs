import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client/core";

export function apolloClient(baseUrl, application, signedIn) {
  return new ApolloClient({
    link: new HttpLink({ uri: `${baseUrl}/auth/api/graphql/${application}`, fetch: signedIn }),
    cache: new InMemoryCache({
      // Objects have an `_id`. Pages and other results have none, and belong to their query.
      dataIdFromObject: ({ __typename, _id }) => (_id ? `${__typename}:${_id}` : undefined),
    }),
    // A query can have data and errors, for example for attributes that the member must not read.
    defaultOptions: { query: { errorPolicy: "all" }, watchQuery: { errorPolicy: "all" } },
  });
}
