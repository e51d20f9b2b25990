
// The page: signs the member in, and shows the parts.

let bound = null; // the element whose buttons and forms act

function say(name) {
  byId("state").textContent = name ? text(name) : "";
}

// Whoever comes next finds nothing of this member on the page.
session.onEnd = showSignedOut;

function showSignedOut(message, further = null) {
  member = null;
  byId("account")?.remove();
  say("");
  byId("farewell").textContent = message;
  byId("elsewhere").replaceChildren(...(further ? [further] : []));
  byId("signed-out").hidden = false;
  onClick(byId("enter"), "", () => enter());
  byId("farewell").focus();
}

async function enter(options) {
  if (canSignIn()) await leadToSignIn(SIGN_IN, options);
  else showSignedOut(text("insecure"));
}

// Replaces the page by that in a language, in which nothing is filled in.
async function translate(language) {
  const address = `${ROOT}public/account?${new URLSearchParams({ language })}`;
  const response = await fetch(address, { credentials: "omit" }).catch(() => null);
  if (!response?.ok) return; // the page works in its language, too
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  document.documentElement.lang = fresh.documentElement.lang;
  document.title = fresh.title;
  document.querySelector("main").replaceWith(fresh.querySelector("main"));
  byId("no-script").hidden = true;
}

async function showAccount() {
  say("reading");
  await readMember();
  await showAgain();
}

// Shows all parts, in the language of the member.
async function showAgain() {
  const primary = (code) => code.split(/[-_]/)[0];
  if (primary(member.language) !== document.documentElement.lang) await translate(member.language);
  const main = document.querySelector("main");
  if (main !== bound) {
    bound = main;
    bindMember({ show: showParts, showAgain });
    bindSessions();
    bindKeys();
    onClick(byId("sign-out"), "", signOut);
  }
  await showParts();
  say("");
  byId("account").hidden = false;
}

async function showParts() {
  showMember();
  await readWays();
  await Promise.all([showSessions(), showKeys(), showProviders()]);
}

async function signOut() {
  const way = ways.find((each) => each.name === ownSession?.way);
  if (ownSession) await endSession(ownSession.id).catch(() => {});
  const link = way?.signOutUrl ? signOutLink(way) : null;
  session.end(text("signedOut"), link);
}

function signOutLink({ label, signOutUrl }) {
  const link = document.createElement("a");
  link.href = `${signOutUrl}?${new URLSearchParams({ returnTo: ROOT })}`;
  link.textContent = text("providerSignOut", { label });
  return link;
}

// Back from a new sign-in: goes on where the member was, with what was typed.
function resume(note) {
  const part = note && byId(note.part);
  if (!part) return;
  if (note.member === member.id) {
    for (const [name, value] of Object.entries(note.values)) part.elements[name].value = value;
  }
  part.scrollIntoView();
  (part.querySelector("[type=submit]") ?? part.querySelector("h2")).focus();
}

async function start() {
  byId("no-script").hidden = true;
  if (endsLinking()) return;
  const answer = takeAnswer();
  if (!answer) {
    say("beginning");
    await enter({ replace: true });
    return;
  }
  if (answer.error) {
    showSignedOut(text("refused"));
    return;
  }
  try {
    const { code, verifier } = answer;
    session.begin(await send("public/token/exchange", { method: "POST", body: { code, verifier } }));
    session.began = Date.now();
    await showAccount();
    resume(answer.note);
  } catch (failure) {
    if (!(failure instanceof Refused)) throw failure;
    session.end(session.token ? failure.message : `${text("failed")} ${failure.message}`);
  }
}

start();
