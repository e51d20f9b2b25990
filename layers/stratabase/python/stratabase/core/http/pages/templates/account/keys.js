
// The keys that the member's programs send. A new key is shown once.

async function showKeys() {
  const listed = await send(memberPath("/keys"));
  const part = byId("keys");
  byId("no-keys").hidden = listed.length > 0;
  showItems(part, listed, (item, key) => {
    put(item, "title", key.name);
    put(item, "created", instant(key.created, member.timeZone));
    put(item, "expires", key.expires ? instant(key.expires, member.timeZone) : text("never"));
    put(item, "used", key.lastUsed ? instant(key.lastUsed, member.timeZone) : text("never"));
    put(item, "networks", key.networks || text("everywhere"));
    put(item, "profile", key.profile ?? "");
    item.querySelector(".narrower").hidden = !key.profile;
    onClick(item.querySelector(".end"), text("endNamed", { name: key.name }), () =>
      run(part, async () => {
        await send(memberPath(`/keys/${encodeURIComponent(key.id)}`), { method: "DELETE" });
        await showKeys();
        byId("keys-heading").focus();
        return text("keyEnded");
      }),
    );
  });
}

function bindKeys() {
  const [part, made, shown] = [byId("keys"), byId("made"), byId("made-key")];

  onSubmit(byId("new-key"), async ({ name, days }) => {
    const body = days ? { name: name.trim(), days: Number(days) } : { name: name.trim() };
    const { key } = await send(memberPath("/keys"), { method: "POST", body });
    byId("new-key").reset();
    clear(part);
    made.querySelector(".done").textContent = "";
    shown.value = key;
    made.hidden = false;
    shown.focus();
    shown.select();
    await showKeys();
  });

  onClick(byId("copy-key"), "", async () => {
    shown.select();
    try {
      await navigator.clipboard.writeText(shown.value);
    } catch {
      document.execCommand("copy"); // where the page may not use the clipboard
    }
    made.querySelector(".done").textContent = text("copied");
  });

  onClick(byId("hide-key"), "", () => {
    shown.value = "";
    made.hidden = true;
    byId("keys-heading").focus();
  });
}
