
// Where the member is signed in.

let ownSession = null;

async function showSessions() {
  const listed = await send(memberPath("/sessions"));
  ownSession = listed.find((each) => each.current) ?? null;
  const others = listed.filter((each) => !each.current);
  const part = byId("sessions");
  showItems(part, [...(ownSession ? [ownSession] : []), ...others], (item, each) => {
    const device = each.device || text("unknownDevice");
    put(item, "title", device);
    put(item, "since", instant(each.since, member.timeZone));
    put(item, "renewed", instant(each.renewed, member.timeZone));
    put(item, "way", wayLabel(each.way));
    put(item, "address", each.address);
    item.querySelector(".badge").hidden = !each.current;
    const button = item.querySelector(".end");
    // This session ends with the button to sign out.
    button.hidden = each.current;
    onClick(button, text("endNamed", { name: device }), () =>
      run(part, async () => {
        await endSession(each.id);
        await showSessions();
        byId("sessions-heading").focus();
        return text("sessionEnded");
      }),
    );
  });
  byId("end-others").hidden = others.length === 0;
  const hasNoPassword = ownSession !== null && ownSession.way !== "password";
  for (const advice of document.querySelectorAll(".no-password")) advice.hidden = !hasNoPassword;
}

async function endSession(id) {
  try {
    await send(memberPath(`/sessions/${encodeURIComponent(id)}`), { method: "DELETE" });
  } catch (failure) {
    if (failure.status !== 404) throw failure; // it has ended already
  }
}

function bindSessions() {
  const part = byId("sessions");
  onClick(byId("end-others"), "", () =>
    run(part, async () => {
      const listed = await send(memberPath("/sessions"));
      for (const each of listed) if (!each.current) await endSession(each.id);
      await showSessions();
      byId("sessions-heading").focus();
      return text("sessionsEnded");
    }),
  );
}
