import { Client, cacheExchange, fetchExchange, makeOperation, mapExchange } from "@urql/core";
import type { Operation } from "@urql/core";

// A mutation can change lists, counts and other objects, so each query is read again.
const readAgain = mapExchange({
  onOperation: (operation: Operation) =>
    makeOperation(operation.kind, operation, { ...operation.context, additionalTypenames: ["Query"] }),
});

export function urqlClient(baseUrl: string, application: string, signedIn: typeof fetch) {
  return new Client({
    url: `${baseUrl}/auth/api/graphql/${application}`,
    fetch: signedIn,
    exchanges: [readAgain, cacheExchange, fetchExchange],
    preferGetMethod: false,
  });
}
