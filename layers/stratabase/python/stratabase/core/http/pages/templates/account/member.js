
// What the member's record has: formats, email address and password.

const LANGUAGES =
  "ar bg ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nb nl pl pt pt-BR ro ru sk sl sr sv th tr uk vi zh zh-Hant";

let member = null;

const memberPath = (rest = "") => `auth/administration/members/${encodeURIComponent(member.id)}${rest}`;

async function readMember() {
  member = await send("auth/administration/member");
}

const change = (fields) => send(memberPath(), { method: "PUT", body: fields });

function showMember() {
  byId("username").textContent = member.username;
  byId("profile").textContent = member.profile;
  byId("email-now").textContent = member.email;
  for (const each of document.querySelectorAll("input.username")) each.value = member.username;
  byId("pending").hidden = !member.pendingEmail;
  byId("pending-email").textContent = member.pendingEmail ? text("confirmEmail", { email: member.pendingEmail }) : "";
  showFormats();
}

function showFormats() {
  const form = byId("formats");
  const codes = new Set([...LANGUAGES.split(" "), member.language]);
  const options = [...codes].map((code) => new Option(languageName(code), code));
  options.sort((one, other) => one.text.localeCompare(other.text));
  form.elements.language.replaceChildren(...options);
  const zones = Intl.supportedValuesOf?.("timeZone") ?? [];
  byId("time-zones").replaceChildren(...["UTC", ...zones].map((zone) => new Option("", zone)));
  for (const name of ["language", "timeZone", "dateFormat", "timeFormat"]) form.elements[name].value = member[name];
}

function languageName(code) {
  try {
    const name = new Intl.DisplayNames([code], { type: "language" }).of(code);
    return name[0].toLocaleUpperCase(code) + name.slice(1);
  } catch {
    return code;
  }
}

function bindMember({ show, showAgain }) {
  onSubmit(byId("formats"), async (values) => {
    await change(values);
    await readMember();
    // The page may be in another language now, with new elements.
    await showAgain();
    done(byId("formats"), text("saved"));
  });

  onSubmit(byId("email"), async ({ email, currentPassword }) => {
    await change(withPassword({ email }, currentPassword));
    await readMember();
    byId("email").reset();
    show();
    return member.pendingEmail ? null : text("saved");
  });

  onClick(byId("cancel-email"), "", () =>
    run(byId("email"), async () => {
      await change({ pendingEmail: null });
      await readMember();
      show();
    }),
  );

  onSubmit(byId("password"), async ({ currentPassword, password, repeat }) => {
    if (password !== repeat) {
      mark(byId("repeat-password"), byId("password"), true);
      throw new Refused(text("different"));
    }
    await change(withPassword({ password }, currentPassword));
    // All sessions have ended, also this one.
    session.token = null;
    try {
      const credentials = { username: member.username, password };
      session.begin(await send("public/token/getJwtToken", { method: "POST", body: credentials }));
      session.began = Date.now();
    } catch {
      return session.end(text("passwordChanged"));
    }
    byId("password").reset();
    reveal(false);
    await show();
    return text("passwordChanged");
  });

  onClick(byId("show-passwords"), "", () => reveal(byId("show-passwords").checked));
}

function withPassword(fields, currentPassword) {
  return currentPassword ? { ...fields, currentPassword } : fields;
}

function reveal(shown) {
  for (const name of ["current-password", "new-password", "repeat-password"]) {
    byId(name).type = shown ? "text" : "password";
  }
}
