// Sends requests to the service, as the member who is signed in.

import { asksForSignIn, errorOf, refusesToken, sendAsNobody } from "./response";

/** What knows who is signed in: see `session`. */
export interface Authority {
  /** Returns the value of the header Authorization, when there is one. */
  authorization(): Promise<string>;
  /** Takes note that the service no longer accepts a value. */
  reject(authorization: string): void;
  /** Asks the member to sign in again, and returns whether a value of a newer sign-in than this one is there. */
  renewSignIn(authorization: string): Promise<boolean>;
}

let authority: Authority | undefined;

/** Sends requests in the name of an authority from now on. */
export function authorizeBy(given: Authority): void {
  authority = given;
}

/**
 * Sends a request as the member who is signed in, and returns its response if that is successful.
 *
 * If the session has ended, or the request needs a new sign-in, the member is asked, and the request is sent again.
 * Throws a ServiceError for every other response.
 */
export async function send(address: string, init: RequestInit = {}): Promise<Response> {
  const response = await sendBy((authorization) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", authorization);
    return sendAsNobody(address, { ...init, headers });
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

/**
 * Does the same by a transport, such as one that reports its progress, and returns every response.
 *
 * `transport` sends a request with a value of the header Authorization. It may be called several times.
 */
export async function sendBy(transport: (authorization: string) => Promise<Response>): Promise<Response> {
  if (!authority) throw new Error("Nobody can be signed in yet.");
  for (;;) {
    const authorization = await authority.authorization();
    const response = await transport(authorization);
    if (response.status !== 401) return response;
    if (asksForSignIn(response)) {
      if (!(await authority.renewSignIn(authorization))) return response;
    } else if (refusesToken(response)) {
      authority.reject(authorization);
    } else {
      return response;
    }
  }
}

/** Sends a request as JSON, and returns the JSON of the response, or undefined if it has none. */
export async function sendJson<T>(address: string, method: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method, headers: { accept: "application/json" } };
  if (body !== undefined) {
    init.headers = { accept: "application/json", "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const response = await send(address, init);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return (text && isJson ? JSON.parse(text) : undefined) as T;
}
