// What a response of the service says, and what it means that there is none.

import { t } from "../messages/messages";
import { connection } from "./connection";
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
    const response = await fetch(address, { credentials: "omit", cache: "no-store", ...init });
    connection.note(response);
    return response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    connection.lose();
    throw new ServiceError(
      "OFFLINE",
      t("The service can't be reached. Check your connection, and try again."),
    );
  }
}

/** Whether a response asks for a new sign-in although the session lives (RFC 9470). */
export function asksForSignIn(response: Response): boolean {
  return challengeOf(response).includes("insufficient_user_authentication");
}

/** Whether a response says that the token is no longer valid (RFC 6750). Other refusals may be about a password. */
export function refusesToken(response: Response): boolean {
  return challengeOf(response).includes("invalid_token");
}

function challengeOf(response: Response): string {
  const { headers } = response;
  return headers.get("www-authenticate") ?? headers.get("x-amzn-remapped-www-authenticate") ?? "";
}

/** Returns the error that a response reports. */
export async function errorOf(response: Response): Promise<ServiceError> {
  const retryAfter = Number(response.headers.get("retry-after")) || null;
  return new ServiceError(kindOf(response), await reasonOf(response), [], retryAfter, response.status);
}

function kindOf(response: Response): ServiceErrorKind {
  if (UNAVAILABLE.has(response.status)) return "UNAVAILABLE";
  if (response.status === 401) return asksForSignIn(response) ? "STALE_SIGN_IN" : "REFUSED";
  if (response.status === 403) return "FORBIDDEN";
  if (response.status === 404) return "NOT_FOUND";
  return response.status < 500 ? "REFUSED" : "FAILED";
}

async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  // A few responses of the REST part are plain texts.
  if (text && response.headers.get("content-type")?.startsWith("text/plain")) return text;
  try {
    const { detail, title } = JSON.parse(text) as Problem;
    if (detail || title) return (detail || title) as string;
  } catch {
    // Something between the browser and the service has responded.
  }
  return t("The service responded with the status {status}.", { status: String(response.status) });
}
