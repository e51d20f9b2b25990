// Sign-in with an identity provider: leads the browser there, and takes the answer with which it comes back.

export type Answer = { code: string; verifier: string } | { error: string };
type Options = { returnTo?: string; maxAge?: number; purpose?: "link" };

const VERIFIER = "stratabase-verifier";

// `returnTo` is a page of this front end, the present one if nothing else is said.
export async function leadToProvider(baseUrl: string, provider: string, options: Options = {}) {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  sessionStorage.setItem(VERIFIER, verifier); // of this tab only
  const { returnTo = location.origin + location.pathname, maxAge, purpose } = options;
  const query = new URLSearchParams({ returnTo, challenge: base64url(new Uint8Array(digest)) });
  if (maxAge !== undefined) query.set("maxAge", String(maxAge));
  if (purpose !== undefined) query.set("purpose", purpose);
  location.assign(`${baseUrl}/public/signIn/${provider}?${query}`);
}

// Returns the answer in the address of this page, if the browser has come back from a provider.
export function takeAnswer(): Answer | undefined {
  const query = new URLSearchParams(location.search);
  const [code, error] = [query.get("code"), query.get("error")];
  const verifier = sessionStorage.getItem(VERIFIER);
  if (code === null && error === null) return undefined;
  sessionStorage.removeItem(VERIFIER);
  // So the code is not used again when the person reloads the page.
  query.delete("code");
  query.delete("error");
  history.replaceState(history.state, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
  if (code === null) return { error: error! };
  return verifier === null ? { error: "another_tab" } : { code, verifier };
}

function base64url(bytes: Uint8Array) {
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
