// A session of one person: signs in, renews the token, and repeats requests whose answer was lost.

export type Credentials = { username: string; password: string };
export type Session = ReturnType<typeof openSession>;

const TRY_AGAIN = new Set([502, 503, 504]);
const RENEW_AGAIN = 10_000; // milliseconds after a renewal that failed

const sleep = (seconds: number) => new Promise<void>((done) => setTimeout(done, 1000 * seconds));
const refuse = (): Credentials | Promise<Credentials> => {
  throw new Error("Sign in first.");
};

// `askCredentials` is called by a request if nobody is signed in, or the token can't be renewed any more.
export function openSession(
  baseUrl: string,
  { askCredentials = refuse, attempts = 4, wait = sleep as (seconds: number) => unknown, renewAfter = 0.8 } = {},
) {
  let token: { text: string; renewAt: number; endsAt: number; family: symbol } | undefined;
  let renewal: Promise<void> | undefined;
  let signOuts = 0;

  // Repeats a request until an answer arrives.
  async function send(address: RequestInfo | URL, options: RequestInit): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      let pause = 2 ** attempt / 4;
      try {
        // Without `omit`, a browser can show a sign-in window of its own if a token has ended.
        const response = await fetch(address, { ...options, credentials: "omit" });
        if (!TRY_AGAIN.has(response.status) || attempt === attempts) return response;
        pause = Number(response.headers.get("retry-after") ?? pause);
      } catch (error) {
        // The connection broke, perhaps after the data was written.
        if (options.signal?.aborted || attempt === attempts) throw error;
      }
      await wait(pause);
    }
  }

  // `family` is the same for all tokens that come from one sign-in.
  async function takeToken(response: Response, family: symbol, signOutsBefore: number) {
    const { access_token, expires_in } = await readJson<{ access_token: string; expires_in: number }>(response);
    if (signOuts !== signOutsBefore) throw new Error("Signed out.");
    const [now, milliseconds] = [Date.now(), 1000 * expires_in];
    token = { text: access_token, renewAt: now + milliseconds * renewAfter, endsAt: now + milliseconds, family };
  }

  async function begin(path: string, proof: object) {
    const before = signOuts;
    const headers = { "content-type": "application/json" };
    const response = await send(baseUrl + path, { method: "POST", headers, body: JSON.stringify(proof) });
    await takeToken(response, Symbol(), before);
  }

  // Throws an error with a message for the person if the password is wrong.
  const signIn = (username: string, password: string) => begin("/public/token/getJwtToken", { username, password });

  async function renew() {
    if (token) {
      const { text, family } = token;
      const before = signOuts;
      const headers = { authorization: `Bearer ${text}` };
      try {
        const response = await send(`${baseUrl}/auth/token/refreshJwtToken`, { headers });
        if (response.status !== 401) return await takeToken(response, family, before);
      } catch (error) {
        if (!token || Date.now() >= token.endsAt) throw error;
        token.renewAt = Date.now() + RENEW_AGAIN; // the token is still good
        return;
      }
    }
    const { username, password } = await askCredentials();
    await signIn(username, password);
  }

  async function currentToken() {
    // Requests that start at the same time share one renewal.
    if (!token || Date.now() >= token.renewAt) await (renewal ??= renew().finally(() => (renewal = undefined)));
    if (!token) throw new Error("Signed out.");
    return token;
  }

  // A `fetch` for the clients of GraphQL.
  async function signedInFetch(address: RequestInfo | URL, options: RequestInit = {}): Promise<Response> {
    const headers = new Headers(options.headers);
    // All attempts have the same key, so a mutation is done once. Queries ignore the key.
    if (!headers.has("idempotency-key")) headers.set("idempotency-key", crypto.randomUUID());
    const sendWith = ({ text }: { text: string }) => {
      headers.set("authorization", `Bearer ${text}`);
      return send(address, { ...options, headers });
    };
    const used = await currentToken();
    const response = await sendWith(used);
    if (response.status !== 401) return response;
    used.renewAt = 0; // perhaps the token ended early, for example because the password was changed
    const next = await currentToken();
    // If the token could be renewed, the service refused something else, such as a wrong `currentPassword`.
    return next.family === used.family ? response : sendWith(next);
  }

  return {
    fetch: signedInFetch,
    signIn,
    // Ends a sign-in with an identity provider (see provider.ts).
    exchange: (code: string, verifier: string) => begin("/public/token/exchange", { code, verifier }),
    // Sends a request to an address such as "/auth/administration/member". Throws if the answer is a refusal.
    json: async <T>(path: string, options?: RequestInit) => readJson<T>(await signedInFetch(baseUrl + path, options)),
    // Forgets the token, and ends its session. Never throws: what can't be ended expires.
    async signOut() {
      const text = token?.text;
      signOuts++;
      token = renewal = undefined;
      if (!text) return;
      const [, claims = ""] = text.split(".");
      const { __id, sid } = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/")));
      const address = `${baseUrl}/auth/administration/members/${__id}/sessions/${sid}`;
      await send(address, { method: "DELETE", headers: { authorization: `Bearer ${text}` } }).catch(() => undefined);
    },
  };
}

async function readJson<T>(response: Response): Promise<T> {
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => undefined); // a proxy may answer with HTML
  throw new Error(problem?.detail ?? `The service can't be reached (status ${response.status}). Try again later.`);
}
