
// Who is signed in: a token that only this script has, and renews while the page is open.

const RENEW_AFTER = 0.8; // of the time for which a token is valid
const ROOT = new URL(location.pathname.replace(/public\/account\/?$/, ""), location.origin).href;
const SIGN_IN = `${ROOT}public/signIn`;
const text = (name, values = {}) => {
  const found = document.getElementById("texts").content.querySelector(`[data-text="${name}"]`).textContent;
  return found.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
};

// The service has refused a request, or can't be reached. `stale`: a new sign-in helps.
class Refused extends Error {
  constructor(message, { status = 0, stale = false } = {}) {
    super(message);
    this.status = status;
    this.stale = stale;
  }
}

const session = {
  token: null,
  timer: 0,
  began: 0, // when this page signed in
  onEnd: () => {},

  begin({ access_token: token, expires_in: seconds }) {
    this.token = token;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.renew(), seconds * 1000 * RENEW_AFTER);
  },

  end(message, further) {
    this.token = null;
    clearTimeout(this.timer);
    this.onEnd(message, further);
  },

  async renew() {
    try {
      this.begin(await send("auth/token/refreshJwtToken"));
    } catch (failure) {
      // The token is valid for a while yet. If the service does not respond just now, try again soon.
      if (failure.status === 0 || failure.status >= 500) this.timer = setTimeout(() => this.renew(), 20_000);
      else if (this.token) this.end(text("ended"));
    }
  },
};

// Sends a request to an address below the root, and returns the JSON of the response, if it has any.
async function send(path, { method = "GET", body } = {}) {
  const headers = { accept: "application/json, text/plain;q=0.9", "accept-language": document.documentElement.lang };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (session.token) headers.authorization = `Bearer ${session.token}`;
  const options = { method, headers, body: JSON.stringify(body), credentials: "omit", cache: "no-store" };
  let response;
  try {
    response = await fetch(ROOT + path, options);
  } catch {
    throw new Refused(text("unreachable"));
  }
  const content = await response.text();
  const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "");
  const value = isJson && content ? JSON.parse(content) : content;
  if (response.ok) return value;
  const challenge = response.headers.get("www-authenticate") ?? "";
  if (challenge.includes("insufficient_user_authentication")) throw new Refused(text("stale"), { stale: true });
  if (session.token && challenge.includes("invalid_token")) session.end(text("ended"));
  const message = (isJson ? value.detail : value) || text("unexpected", { status: response.status });
  throw new Refused(message, { status: response.status });
}
