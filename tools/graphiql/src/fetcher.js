// How GraphiQL asks the service.

import { ENDED, asked, reason } from "./session.js";

const ACCEPT = "application/graphql-response+json, application/json;q=0.9";

export function fetcherOf(address, session) {
  return async (parameters) => {
    const authorization = await session.authorization();
    const response = await asked(address, {
      method: "POST",
      headers: { "content-type": "application/json", accept: ACCEPT, authorization },
      body: JSON.stringify(parameters),
    });
    if (response.status === 401) session.signOut(ENDED);
    return isResult(response) ? response.json() : { errors: [{ message: await reason(response) }] };
  };
}

function isResult(response) {
  const type = response.headers.get("content-type") ?? "";
  return type.startsWith("application/graphql-response+json") || type.startsWith("application/json");
}
