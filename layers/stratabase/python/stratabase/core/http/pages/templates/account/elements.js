
// How the parts of the page show what happens: errors where they arise, and what was done.

const byId = (id) => document.getElementById(id);

const fieldsOf = (form) => [...form.elements].filter((each) => each.name);

function clear(part) {
  part.querySelector(".error").replaceChildren();
  part.querySelectorAll(".done").forEach((each) => each.replaceChildren());
  for (const field of part.querySelectorAll("[aria-invalid]")) mark(field, part, false);
}

function mark(field, part, invalid) {
  const error = part.querySelector(".error");
  error.id ||= `${part.id}-error`;
  const others = (field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && id !== error.id);
  if (invalid) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
  field.setAttribute("aria-describedby", [...(invalid ? [error.id] : []), ...others].join(" "));
}

// Shows why a request was refused. Fields that the service names in quotes are marked, and called by their labels.
function refuse(part, refusal) {
  const error = part.querySelector(".error");
  const fields = part instanceof HTMLFormElement ? fieldsOf(part) : [];
  let message = refusal.message;
  for (const field of fields) {
    if (!message.includes(`"${field.name}"`)) continue;
    mark(field, part, true);
    message = message.replaceAll(`"${field.name}"`, `“${field.labels[0].textContent.trim()}”`);
  }
  const paragraph = document.createElement("p");
  paragraph.textContent = message;
  error.replaceChildren(paragraph);
  if (refusal.stale) error.append(againButton(part));
  error.focus();
}

// Signs in again, and comes back to the same part, with what was typed but passwords.
function againButton(part) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text("again");
  button.addEventListener("click", () => {
    const typed = part instanceof HTMLFormElement ? fieldsOf(part).filter((each) => each.type !== "password") : [];
    const values = Object.fromEntries(typed.map((each) => [each.name, each.value]));
    leadToSignIn(SIGN_IN, { note: { part: part.id, values, member: member.id }, further: freshness() });
  });
  return button;
}

// A provider that knows the person may not ask again, and says when it asked last. Then it is told to ask. The others
// could not answer that.
function freshness() {
  const age = ownSession ? session.began - Date.parse(ownSession.since) : 0;
  return age > 300_000 ? { maxAge: "600" } : {};
}

function done(part, message) {
  part.querySelector(".done").textContent = message;
}

// Runs a task of a part, once at a time: shows its refusal, or what it returns.
async function run(part, task) {
  if (part.ariaBusy === "true") return;
  clear(part);
  part.ariaBusy = "true";
  try {
    const message = await task();
    if (message) done(part, message);
  } catch (failure) {
    if (!(failure instanceof Refused)) throw failure;
    if (session.token) refuse(part, failure);
  } finally {
    part.ariaBusy = "false";
  }
}

// `task(values)` gets the fields of a form by name.
function onSubmit(form, task) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run(form, () => {
      const missing = fieldsOf(form).find((each) => each.required && !each.value.trim());
      if (missing) {
        mark(missing, form, true);
        throw new Refused(`${missing.labels[0].textContent.trim()}: ${text("missing")}`);
      }
      return task(Object.fromEntries(fieldsOf(form).map((each) => [each.name, each.value])));
    });
  });
}

// Shows a list: `fill(item, value)` fills the copy of the template for each value.
function showItems(part, values, fill) {
  const template = part.querySelector("template");
  const items = values.map((value) => {
    const item = template.content.firstElementChild.cloneNode(true);
    fill(item, value);
    return item;
  });
  part.querySelector(".items").replaceChildren(...items);
}

function put(item, name, content) {
  item.querySelector(`.${name}`).textContent = content;
}

function onClick(button, label, act) {
  if (label) button.ariaLabel = label;
  button.addEventListener("click", act);
}

function instant(iso, timeZone) {
  const language = document.documentElement.lang;
  try {
    const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone });
    return format.format(new Date(iso));
  } catch {
    return iso; // a time zone that this browser does not know
  }
}
