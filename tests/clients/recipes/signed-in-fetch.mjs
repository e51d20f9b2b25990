// Returns a `fetch` that signs in, renews the token, and repeats requests whose answer was lost.
const TRY_AGAIN = new Set([502, 503, 504]);
const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

export function signedInFetch(baseUrl, askCredentials, { attempts = 4, wait = sleep, renewAfter = 0.8 } = {}) {
  let token, renewAt, renewal;

  async function signIn() {
    const response = await fetch(`${baseUrl}/public/token/getJwtToken`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(await askCredentials()), // {username, password}
    });
    if (!response.ok) throw new Error((await response.json()).detail);
    return response;
  }

  async function renew() {
    // A token can be renewed for 12 hours. After that, the person signs in again.
    const headers = { authorization: `Bearer ${token}` };
    const renewed = token && (await fetch(`${baseUrl}/auth/token/refreshJwtToken`, { headers }));
    const response = renewed?.ok ? renewed : await signIn();
    const { access_token, expires_in } = await response.json();
    token = access_token;
    renewAt = Date.now() + 1000 * expires_in * renewAfter;
  }

  async function currentToken() {
    // Requests that start at the same time share one renewal.
    if (!token || Date.now() >= renewAt) await (renewal ??= renew().finally(() => (renewal = undefined)));
    return token;
  }

  return async (url, options = {}) => {
    const headers = new Headers(options.headers);
    // All attempts have the same key, so a mutation is done once. Queries ignore the key.
    headers.set("idempotency-key", crypto.randomUUID());
    for (let attempt = 1; ; attempt++) {
      headers.set("authorization", `Bearer ${await currentToken()}`);
      let pause = 2 ** attempt / 4;
      try {
        const response = await fetch(url, { ...options, headers });
        const isExpired = response.status === 401 && attempt === 1;
        if (!(isExpired || TRY_AGAIN.has(response.status)) || attempt === attempts) return response;
        if (isExpired) token = undefined;
        pause = isExpired ? 0 : Number(response.headers.get("retry-after") ?? pause);
      } catch (error) {
        // The connection broke, perhaps after the data was written.
        if (error.name === "AbortError" || attempt === attempts) throw error;
      }
      await wait(pause);
    }
  };
}
