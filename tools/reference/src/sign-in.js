// The bar above the reference: signs in on the sign-in page, and gives the token to the requests of the reference.
// The console and GraphiQL keep the token at the same place, so a member of one of the pages is one of all in this tab.

import { canSignIn, leadToSignIn, takeAnswer } from "./sign_in.js";

const SCHEME = "bearer"; // the name of the scheme in the document
const KEPT_AS = "stratabase.session";
const RENEW_AFTER = 0.8; // of the time for which a token is valid

const bar = document.getElementById("bar");
const addresses = bar.dataset;
let token = null;
let timer = 0;
let username = "";

// `authorize(scheme, token)` tells Swagger UI, and `forget(scheme)` lets it forget.
export async function showBar({ authorize, forget }) {
  const use = ({ access_token: text, expires_in: seconds }) => {
    token = text;
    keep(Date.now() + seconds * 1000);
    authorize(SCHEME, text);
    clearTimeout(timer);
    timer = setTimeout(renew, seconds * 1000 * RENEW_AFTER);
  };

  const renew = async () => {
    const response = await asked(addresses.refresh).catch(() => null);
    if (response?.ok) use(await response.json());
    else if (response?.status === 401) leave("Your session has ended.");
    else timer = setTimeout(renew, 20_000);
  };

  const leave = (message) => {
    clearTimeout(timer);
    sessionStorage.removeItem(KEPT_AS);
    token = null;
    forget(SCHEME);
    showSignedOut(message);
  };

  const signOut = async () => {
    await end().catch(() => {}); // if the service does not answer, the token ends by itself
    leave("You are signed out.");
  };

  const answer = takeAnswer();
  const kept = answer ? null : found();
  if (!answer && !kept) {
    showSignedOut("");
    return;
  }
  show(["Signing in…"]);
  try {
    if (answer?.error) throw new Error("Sign-in was canceled or refused.");
    use(kept ?? (await exchanged(answer)));
    ({ username } = await granted(asked(addresses.member)));
    keep();
    show([`Signed in as ${username}.`, button("Sign out", signOut)]);
  } catch (failure) {
    leave(failure instanceof TypeError ? "The service can't be reached." : failure.message);
  }
}

// Returns the token that this tab has kept, as the service answers one.
function found() {
  const kept = JSON.parse(sessionStorage.getItem(KEPT_AS));
  const milliseconds = (kept?.ends ?? 0) - Date.now();
  return milliseconds > 0 ? { access_token: kept.token, expires_in: milliseconds / 1000 } : null;
}

// `ends`: when the token expires, in milliseconds since 1970.
function keep(ends = JSON.parse(sessionStorage.getItem(KEPT_AS)).ends) {
  sessionStorage.setItem(KEPT_AS, JSON.stringify({ username, token, ends }));
}

function exchanged({ code, verifier }) {
  return granted(asked(addresses.exchange, { method: "POST", body: JSON.stringify({ code, verifier }) }));
}

function showSignedOut(message) {
  const signIn = canSignIn() ? [button("Sign in", () => leadToSignIn(addresses.signIn))] : [];
  show([message, ...signIn]);
}

function show([message, ...buttons]) {
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  status.textContent = message;
  bar.replaceChildren(status, ...buttons);
}

function button(label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}

async function end() {
  const claims = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
  const { __id, sid } = JSON.parse(atob(claims));
  await asked(`${addresses.members}/${__id}/sessions/${sid}`, { method: "DELETE" });
}

function asked(address, options = {}) {
  const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  return fetch(address, { credentials: "omit", cache: "no-store", headers, ...options });
}

async function granted(sent) {
  const response = await sent;
  if (response.ok) return response.json();
  const { detail } = await response.json().catch(() => ({}));
  throw new Error(detail ?? `The service responded with the status ${response.status}.`);
}
