// Who is signed in: a token for this tab, renewed while the tab is open.
//
// The token is in memory and in this tab's sessionStorage, where GraphiQL and the API reference find it.

import { t } from "../messages/messages";
import { ServiceError } from "../service/errors";
import { errorOf, sendAsNobody } from "../service/request";
import { serviceSettings } from "../service/settings";

const KEPT_AS = "stratabase.session";
/** Milliseconds before its end at which a token is renewed. */
const SOON = 60_000;

interface Kept {
  readonly username: string;
  readonly token: string;
  /** When the token expires, in milliseconds since 1970. */
  readonly ends: number;
}

interface TokenResponse {
  readonly access_token: string;
  readonly expires_in: number;
}

export type SessionStatus =
  /** Nobody is signed in. */
  | "OUT"
  | "IN"
  /** The service no longer accepts the token. What is on the page waits until the member signs in again. */
  | "ENDED";

export interface SessionState {
  readonly status: SessionStatus;
  readonly username: string | null;
}

const OUT: SessionState = { status: "OUT", username: null };

class Session {
  #kept: Kept | null = null;
  #state: SessionState = OUT;
  #renewal: Promise<void> | null = null;
  #timer = 0;
  readonly #listeners = new Set<() => void>();

  constructor() {
    const found = JSON.parse(sessionStorage.getItem(KEPT_AS) ?? "null") as Kept | null;
    if (found && found.ends > Date.now()) this.#keep(found);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  state = (): SessionState => this.#state;

  /** Gets a token for a username and a password. Throws a ServiceError if the service refuses them. */
  async signIn(username: string, password: string): Promise<void> {
    const response = await sendAsNobody(serviceSettings().addresses.token, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ username, password }),
    });
    if (!response.ok) throw await errorOf(response);
    this.#keep(keptOf(username, (await response.json()) as TokenResponse));
  }

  /** Ends the session on the service, and forgets it. */
  async signOut(): Promise<void> {
    const token = this.#kept?.token;
    this.#forget(OUT);
    if (token) await endSession(token);
  }

  /**
   * Returns the value of the header Authorization.
   *
   * If the session has ended, this waits until the member has signed in again. Throws a ServiceError of the
   * kind SIGNED_OUT if the member gives up, or nobody is signed in.
   */
  async authorization(): Promise<string> {
    if (this.#state.status === "ENDED") await this.#next();
    if (this.#kept && this.#kept.ends - Date.now() < SOON) await this.#renewed();
    if (this.#state.status === "ENDED") await this.#next();
    if (!this.#kept) throw new ServiceError("SIGNED_OUT", t("You are signed out."));
    return `Bearer ${this.#kept.token}`;
  }

  /** Takes note that the service no longer accepts a token, unless there is a newer one already. */
  reject(authorization: string): void {
    if (this.#kept && authorization === `Bearer ${this.#kept.token}`) this.#end();
  }

  /** Waits until the member has signed in again, or has given up. */
  #next(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        if (this.#state.status === "ENDED") return;
        stop();
        resolve();
      });
    });
  }

  #renewed(): Promise<void> {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #renew(): Promise<void> {
    if (!this.#kept) return;
    const { token, username } = this.#kept;
    try {
      const headers = { authorization: `Bearer ${token}` };
      const response = await sendAsNobody(serviceSettings().addresses.refresh, { headers });
      if (response.status === 401) this.#end();
      else if (response.ok) this.#keep(keptOf(username, (await response.json()) as TokenResponse));
    } catch {
      // The service doesn't answer now. The token is good until its end, and this is tried again.
    }
  }

  #end(): void {
    const username = this.#kept?.username ?? null;
    this.#forget({ status: "ENDED", username });
  }

  #forget(state: SessionState): void {
    this.#kept = null;
    sessionStorage.removeItem(KEPT_AS);
    clearTimeout(this.#timer);
    this.#show(state);
  }

  #keep(kept: Kept): void {
    this.#kept = kept;
    sessionStorage.setItem(KEPT_AS, JSON.stringify(kept));
    clearTimeout(this.#timer);
    const pause = Math.max(SOON / 2, kept.ends - Date.now() - SOON);
    this.#timer = window.setTimeout(() => this.#renewed(), pause);
    this.#show({ status: "IN", username: kept.username });
  }

  #show(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function keptOf(username: string, { access_token, expires_in }: TokenResponse): Kept {
  return { username, token: access_token, ends: Date.now() + expires_in * 1000 };
}

async function endSession(token: string): Promise<void> {
  try {
    const claims = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const { __id, sid } = JSON.parse(atob(claims)) as { __id: string; sid: string };
    const address = `${serviceSettings().addresses.members}/${__id}/sessions/${sid}`;
    await sendAsNobody(address, {
      method: "DELETE",
      headers: { authorization: `Bearer ${token}` },
      keepalive: true,
    });
  } catch {
    // The service doesn't answer now. The token is forgotten, and ends by itself.
  }
}

export const session = new Session();
