
// The accounts at identity providers with which the member can sign in.

const LINKING = "stratabase.linking"; // the channel on which the window of a linking tells how it ended

let ways = [];
let linking = null;

function wayLabel(name) {
  return name === "password" ? text("byPassword") : (ways.find((each) => each.name === name)?.label ?? name);
}

async function readWays() {
  ways = await send("public/signIn?format=json");
}

async function showProviders() {
  const providers = ways.filter((each) => each.name !== "password");
  const links = providers.length > 0 ? await send(memberPath("/links")) : [];
  const part = byId("providers");
  part.hidden = providers.length === 0;
  showItems(part, providers, (item, { name, label, url }) => {
    const link = links.find((each) => each.provider === name);
    const [begin, end] = [item.querySelector(".link"), item.querySelector(".unlink")];
    put(item, "title", label);
    put(item, "since", link ? text("linkedSince", { since: link.since }) : "");
    begin.hidden = Boolean(link);
    end.hidden = !link;
    onClick(begin, text("linkNamed", { label }), () => run(part, () => linkAccount(url)));
    onClick(end, text("unlinkNamed", { label }), () =>
      run(part, async () => {
        await send(memberPath(`/links/${encodeURIComponent(name)}`), { method: "DELETE" });
        await showProviders();
        byId("providers-heading").focus();
        return text("unlinked");
      }),
    );
  });
}

// Links in a window of its own, so that this page keeps its token.
async function linkAccount(url) {
  const opened = window.open("about:blank", "_blank", "popup,width=520,height=720");
  if (!opened) throw new Refused(text("blocked"));
  opened.opener = null; // the provider's page must not lead this one elsewhere
  const { verifier, challenge } = await newProof();
  linking?.close();
  linking = new BroadcastChannel(LINKING);
  linking.onmessage = ({ data }) => {
    linking.close();
    run(byId("providers"), () => endLinking(data.code, verifier));
  };
  const returnTo = `${location.origin}${location.pathname}?linking=1`;
  opened.location.replace(`${url}?${new URLSearchParams({ returnTo, challenge, purpose: "link" })}`);
  return text("linking");
}

async function endLinking(code, verifier) {
  if (!code) throw new Refused(text("linkFailed"));
  await send(memberPath("/links"), { method: "POST", body: { code, verifier } });
  await showProviders();
  return text("linked");
}

// In the window of a linking: tells the page that opened it. Returns whether this is such a window.
function endsLinking() {
  const query = new URLSearchParams(location.search);
  if (query.get("linking") !== "1") return false;
  history.replaceState(null, "", location.pathname);
  const channel = new BroadcastChannel(LINKING);
  channel.postMessage({ code: query.get("code"), error: query.get("error") });
  channel.close();
  byId("state").textContent = text("closeWindow");
  window.close();
  return true;
}
