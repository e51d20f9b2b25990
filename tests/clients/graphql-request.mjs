// graphql-request: the plain client.
import { GraphQLClient } from "graphql-request";

import { ADDRESS, SIGNED_IN, play, short } from "./scenario.mjs";

const client = new GraphQLClient(ADDRESS, { headers: SIGNED_IN });
const patient = new GraphQLClient(ADDRESS, { headers: SIGNED_IN, errorPolicy: "all" });

await play({
  mutate: (document, variables) => client.request(document, variables),
  query: (document, variables) => client.request(document, variables),
  half: async (document) => {
    const { data, errors } = await patient.rawRequest(document);
    return { data, errors: errors.map(short) };
  },
  errorsOf: (error) => error.response.errors,
});
