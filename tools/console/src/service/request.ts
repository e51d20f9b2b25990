// Sends requests to the service, as the member who is signed in.

import { t } from "../messages/messages";
import { session } from "../session/session";
import { ServiceError, type ServiceErrorKind } from "./errors";

const UNAVAILABLE = new Set([429, 502, 503, 504]);

interface Problem {
  readonly detail?: string;
  readonly title?: string;
}

/** Sends a request without credentials. Throws a ServiceError of the kind OFFLINE if no response comes. */
export async function sendAsNobody(address: string, init: RequestInit = {}): Promise<Response> {
  try {
    // The browser's own credentials stay out of it, so that it never asks for a password itself.
    return await fetch(address, { credentials: "omit", cache: "no-store", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ServiceError(
      "OFFLINE",
      t("The service can't be reached. Check your connection, and try again."),
    );
  }
}

/**
 * Sends a request as the member who is signed in, and returns its response if that is successful.
 *
 * A response that says that the session has ended leads to the sign-in form, and the request is sent again.
 * Throws a ServiceError for every other response.
 */
export async function send(address: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const authorization = await session.authorization();
    const headers = new Headers(init.headers);
    headers.set("authorization", authorization);
    const response = await sendAsNobody(address, { ...init, headers });
    if (response.ok) return response;
    if (response.status !== 401 || isStale(response)) throw await errorOf(response);
    session.reject(authorization);
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
  return (text ? JSON.parse(text) : undefined) as T;
}

/** Whether a response asks for a new sign-in although the session lives (RFC 9470). */
function isStale(response: Response): boolean {
  const challenge =
    response.headers.get("www-authenticate") ??
    response.headers.get("x-amzn-remapped-www-authenticate") ??
    "";
  return challenge.includes("insufficient_user_authentication");
}

/** Returns the error that a response reports. */
export async function errorOf(response: Response): Promise<ServiceError> {
  const retryAfter = Number(response.headers.get("retry-after")) || null;
  return new ServiceError(kindOf(response), await reasonOf(response), [], retryAfter);
}

function kindOf(response: Response): ServiceErrorKind {
  if (UNAVAILABLE.has(response.status)) return "UNAVAILABLE";
  if (response.status === 401) return isStale(response) ? "STALE_SIGN_IN" : "REFUSED";
  if (response.status === 403) return "FORBIDDEN";
  if (response.status === 404) return "NOT_FOUND";
  return response.status < 500 ? "REFUSED" : "FAILED";
}

async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { detail, title } = JSON.parse(text) as Problem;
    if (detail || title) return (detail || title) as string;
  } catch {
    // A few responses of the REST part are plain texts.
    if (text && text.length < 300 && !text.startsWith("<")) return text;
  }
  return t("The service responded with the status {status}.", { status: String(response.status) });
}
