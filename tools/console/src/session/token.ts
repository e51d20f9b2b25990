// A token, and what its claims say. The claims are read for display only: the service judges them.

export interface TokenResponse {
  readonly access_token: string;
  readonly expires_in: number;
}

/** What a tab keeps of a sign-in. */
export interface Kept {
  /** The address that gave the token, since one origin can have several services. */
  readonly service: string;
  readonly token: string;
  /** When the token expires, in milliseconds since 1970. */
  readonly ends: number;
  readonly username: string;
  /** The ID of the member. */
  readonly member: string;
  /** The ID of the session, the same for all tokens of a sign-in. */
  readonly session: string;
  /** When the member has signed in, in seconds since 1970. */
  readonly signedIn: number;
}

interface Claims {
  readonly __id: string;
  readonly username: string;
  readonly sid?: string;
  readonly auth_time?: number;
}

export function keptOf(service: string, { access_token, expires_in }: TokenResponse): Kept {
  const { __id, username, sid, auth_time } = claimsOf(access_token);
  return {
    service,
    token: access_token,
    ends: Date.now() + expires_in * 1000,
    username,
    member: __id,
    session: sid ?? "",
    signedIn: auth_time ?? 0,
  };
}

/**
 * Returns the sign-in that this tab has kept as a text, or null if there is none that can be used.
 *
 * GraphiQL and the API reference keep the token and its end only.
 */
export function restored(service: string, text: string | null): Kept | null {
  if (text === null) return null;
  const found = JSON.parse(text) as Pick<Kept, "token" | "ends"> & Partial<Kept>;
  if ((found.service ?? service) !== service || found.ends <= Date.now()) return null;
  return keptOf(service, { access_token: found.token, expires_in: (found.ends - Date.now()) / 1000 });
}

function claimsOf(token: string): Claims {
  const encoded = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  const bytes = Uint8Array.from(atob(encoded), (each) => each.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Claims;
}
