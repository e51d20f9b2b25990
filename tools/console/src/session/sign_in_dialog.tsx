// Asks the member to sign in again over the page that is open, so that nothing on it is lost: when the session has
// ended, and when a request needs a new sign-in.

import { useState } from "react";
import { Button } from "../components/button";
import { Dialog, DialogButtons } from "../components/dialog";
import { Banner } from "../components/feedback";
import { t } from "../messages/messages";
import { ServiceError } from "../service/errors";
import { askProviderInWindow, type Way } from "./provider";
import { session } from "./session";
import { SignInForm } from "./sign_in_form";
import type { SessionState } from "./tab_session";
import { useSession } from "./use_session";

export function SignInDialog() {
  const state = useSession();
  const hasEnded = state.status === "ENDED";
  return (
    <Dialog
      title={hasEnded ? t("Your session has ended") : t("Confirm that it's you")}
      isOpen={hasEnded || state.isStale}
      onClose={() => session.keepStale()}
      isStrict={hasEnded}
    >
      {state.other === null ? <SameMember state={state} /> : <OtherMember state={state} />}
    </Dialog>
  );
}

function SameMember({ state: { status, username } }: { readonly state: SessionState }) {
  const [isLeaving, setLeaving] = useState(false);
  const hasEnded = status === "ENDED";
  if (isLeaving) return <Leaving onStay={() => setLeaving(false)} />;
  return (
    <>
      <p>
        {hasEnded
          ? t("Sign in again to go on. What is on the page stays as it is.")
          : t("This change needs a sign-in of the last minutes.")}
      </p>
      <SignInForm username={username} onProvider={hasEnded ? signInInWindow : signInAnew} />
      {hasEnded && (
        <Button variant="quiet" onPress={() => setLeaving(true)}>
          {t("Sign in as someone else")}
        </Button>
      )}
    </>
  );
}

function Leaving({ onStay }: { readonly onStay: () => void }) {
  return (
    <>
      <Banner kind="warning">{t("What you have typed on the page and not saved is lost.")}</Banner>
      <DialogButtons>
        <Button onPress={onStay}>{t("Go back")}</Button>
        <Button variant="primary" onPress={() => session.giveUp()}>
          {t("Leave the page")}
        </Button>
      </DialogButtons>
    </>
  );
}

function OtherMember({ state: { username, other } }: { readonly state: SessionState }) {
  const names = { username: username ?? "", other: other ?? "" };
  return (
    <>
      <Banner kind="warning">
        {t(
          "{other} has signed in, but the page is that of {username}. What isn't saved on it is lost.",
          names,
        )}
      </Banner>
      <DialogButtons>
        <Button onPress={() => void session.refuseOther()}>
          {t("Sign in as {username}", { username: names.username })}
        </Button>
        <Button variant="primary" onPress={() => session.acceptOther()}>
          {t("Continue as {other}", { other: names.other })}
        </Button>
      </DialogButtons>
    </>
  );
}

async function signInInWindow(way: Way): Promise<void> {
  const { code, verifier } = await askProviderInWindow(way);
  await session.exchange(code, verifier);
}

/** The providers that don't ask again unless they are told to. Others, such as Google, can't be told. */
const told = new Set<string>();

async function signInAnew(way: Way): Promise<void> {
  const { code, verifier } = await askProviderInWindow(way, told.has(way.name) ? { maxAge: "600" } : {});
  if (await session.exchange(code, verifier)) return;
  told.add(way.name);
  throw new ServiceError(
    "REFUSED",
    t("{provider} hasn't asked you to sign in. Try again.", { provider: way.label }),
  );
}
