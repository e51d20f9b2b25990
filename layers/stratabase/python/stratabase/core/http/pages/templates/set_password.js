"use strict";
// The page works without this: it spares a person a round trip, and shows what was typed.
(() => {
  const form = document.getElementById("form");
  const error = document.getElementById("error");
  const password = document.getElementById("password");
  const repeat = document.getElementById("repeat");
  const toggle = document.getElementById("show");
  const PAUSE = 3000;
  let sent = -PAUSE;

  const reveal = (shown) => {
    password.type = repeat.type = shown ? "text" : "password";
    toggle.textContent = shown ? toggle.dataset.hide : toggle.dataset.show;
  };

  // Lengths are counted as the service does: characters, not the halves of which some are made.
  const mistake = () => {
    const length = Array.from(password.value.normalize("NFC")).length;
    if (length < Number(form.dataset.shortest)) return [password, form.dataset.short];
    if (length > Number(form.dataset.longest)) return [password, form.dataset.long];
    if (password.value !== repeat.value) return [repeat, form.dataset.different];
    return null;
  };

  const tell = (wrong, text) => {
    for (const [field, about] of [[password, "policy"], [repeat, ""]]) {
      field.setAttribute("aria-invalid", String(field === wrong));
      field.setAttribute("aria-describedby", field === wrong ? `error ${about}` : about);
    }
    error.textContent = text;
    error.focus();
  };

  toggle.hidden = false;
  toggle.addEventListener("click", () => reveal(password.type === "password"));
  form.addEventListener("submit", (event) => {
    const found = mistake();
    // A second click would find the link used, and hide that the first one went well.
    const twice = event.timeStamp - sent < PAUSE;
    if (found || twice) event.preventDefault();
    if (found) {
      tell(...found);
    } else if (!twice) {
      sent = event.timeStamp;
      reveal(false);
    }
  });
})();
