"use strict";
// Leads the browser to the sign-in page, and takes the code with which it comes back (PKCE, RFC 7636).
// The account page has this file as it is. GraphiQL and the API reference are built with it.

const KEPT = "stratabase.signIn";

// Browsers have what is needed on pages with HTTPS, and on those of the machine itself.
export const canSignIn = () => Boolean(globalThis.crypto?.subtle);

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

export async function newProof() {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return { verifier, challenge: base64url(new Uint8Array(digest)) };
}

// `address`: that of the sign-in page, or of a provider. `further`: other parameters of the query.
// `note`: what this page wants to know again when the browser comes back.
export async function leadToSignIn(address, { note = null, further = {}, replace = false } = {}) {
  const { verifier, challenge } = await newProof();
  sessionStorage.setItem(KEPT, JSON.stringify({ verifier, note }));
  const returnTo = location.origin + location.pathname;
  const target = `${address}?${new URLSearchParams({ returnTo, challenge, ...further })}`;
  if (replace) location.replace(target);
  else location.assign(target);
}

// Returns what is in the address of this page if the browser comes back: {code, verifier, note}, or
// {error, note}; otherwise null. Nothing of it stays in the address, or in the browser.
export function takeAnswer() {
  const query = new URLSearchParams(location.search);
  const [code, error] = [query.get("code"), query.get("error")];
  if (code === null && error === null) return null;
  const kept = JSON.parse(sessionStorage.getItem(KEPT));
  sessionStorage.removeItem(KEPT);
  query.delete("code");
  query.delete("error");
  const rest = query.size ? `?${query}` : "";
  history.replaceState(history.state, "", `${location.pathname}${rest}${location.hash}`);
  if (code === null) return { error, note: kept?.note ?? null };
  return kept ? { code, ...kept } : { error: "another_tab", note: null };
}
