import { Client, cacheExchange, fetchExchange } from "@urql/core";

export function urqlClient(baseUrl, application, signedIn) {
  return new Client({
    url: `${baseUrl}/auth/api/graphql/${application}`,
    fetch: signedIn,
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
  });
}
