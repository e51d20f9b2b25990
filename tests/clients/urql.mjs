// urql, with its cache of documents.
import { Client, cacheExchange, fetchExchange } from "@urql/core";

import { ADDRESS, SIGNED_IN, play, short } from "./scenario.mjs";

const client = new Client({
  url: ADDRESS,
  exchanges: [cacheExchange, fetchExchange],
  fetchOptions: { headers: SIGNED_IN },
  // Long documents still go by POST.
  preferGetMethod: true,
});

async function checked(result) {
  const { data, error } = await result;
  if (error) throw error;
  return data;
}

await play({
  mutate: (document, variables) => checked(client.mutation(document, variables).toPromise()),
  query: (document, variables) => checked(client.query(document, variables).toPromise()),
  half: async (document) => {
    const { data, error } = await client.query(document, {}).toPromise();
    return { data, errors: error.graphQLErrors.map(short) };
  },
  errorsOf: (error) => error.graphQLErrors,
});
