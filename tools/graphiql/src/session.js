// Who is signed in: a token for a username and a password, kept for this tab, and renewed while it is open.

const KEPT_AS = "stratabase.session";
const FAREWELL = "stratabase.farewell";
const SOON = 60_000; // milliseconds before its end at which a token is renewed

export class Session {
  #addresses;
  #kept = null;
  #listeners = new Set();
  #renewal = null;
  #timer = 0;

  constructor(addresses) {
    this.#addresses = addresses;
    this.farewell = sessionStorage.getItem(FAREWELL) ?? "";
    sessionStorage.removeItem(FAREWELL);
    const found = JSON.parse(sessionStorage.getItem(KEPT_AS));
    if (found && found.ends > Date.now()) this.#keep(found);
  }

  // Both are for React's useSyncExternalStore.
  subscribe = (listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  username = () => this.#kept?.username ?? null;

  async signIn(username, password) {
    const response = await asked(this.#addresses.token, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username, password }),
    });
    this.#keep(kept(username, await granted(response)));
  }

  // Takes what the browser brings back from an identity provider (see sign_in.js). If that fails, the form says why.
  async comeBack({ code, verifier, error }) {
    try {
      if (error) throw new Error(REFUSED);
      const response = await asked(this.#addresses.exchange, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code, verifier }),
      });
      const token = await granted(response);
      const headers = { authorization: `Bearer ${token.access_token}` };
      const { username } = await granted(await asked(this.#addresses.member, { headers }));
      this.#keep(kept(username, token));
    } catch (failure) {
      this.farewell = failure instanceof TypeError ? UNREACHABLE : failure.message;
    }
  }

  // Begins anew: whoever comes next finds nothing of this member on the page.
  async signOut(farewell = "") {
    const token = this.#kept?.token;
    sessionStorage.removeItem(KEPT_AS);
    if (farewell) sessionStorage.setItem(FAREWELL, farewell);
    else if (token) await this.#end(token);
    location.reload();
  }

  // The service refuses the token from now on.
  async #end(token) {
    try {
      const claims = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
      const { __id, sid } = JSON.parse(atob(claims));
      const address = `${this.#addresses.members}/${__id}/sessions/${sid}`;
      await asked(address, { method: "DELETE", headers: { authorization: `Bearer ${token}` }, keepalive: true });
    } catch {
      // The service does not answer just now. The token is forgotten, and ends by itself.
    }
  }

  // Returns the header's value; renews the token first when it is about to end.
  async authorization() {
    if (this.#kept.ends - Date.now() < SOON) await this.#renewed();
    return `Bearer ${this.#kept.token}`;
  }

  #renewed() {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #renew() {
    const { token, username } = this.#kept;
    try {
      const response = await asked(this.#addresses.refresh, { headers: { authorization: `Bearer ${token}` } });
      if (response.status === 401) return this.signOut(ENDED);
      if (response.ok) this.#keep(kept(username, await granted(response)));
    } catch {
      // The service does not answer just now. The token is good until its end, and this is tried again.
    }
  }

  #keep(session) {
    this.#kept = session;
    sessionStorage.setItem(KEPT_AS, JSON.stringify(session));
    clearTimeout(this.#timer);
    const pause = Math.max(SOON / 2, session.ends - Date.now() - SOON);
    this.#timer = setTimeout(() => this.#renewed(), pause);
    for (const listener of this.#listeners) listener();
  }
}

export const UNREACHABLE = "The service can't be reached. Check your connection, and try again.";
const REFUSED = "Sign-in was canceled or refused.";
export const ENDED = "Your session has ended. Sign in again.";

function kept(username, { access_token: token, expires_in: seconds }) {
  return { username, token, ends: Date.now() + seconds * 1000 };
}

// Credentials of the browser's own stay out of it: it must not ask for a password on its own either.
export function asked(address, options = {}) {
  return fetch(address, { credentials: "omit", cache: "no-store", ...options });
}

async function granted(response) {
  if (response.ok) return response.json();
  throw new Error(await reason(response));
}

export async function reason(response) {
  try {
    const { detail, title } = await response.json();
    return detail || title;
  } catch {
    return `The service answered with the status ${response.status}.`;
  }
}
