// The identity providers of the service, and the way to them and back (PKCE).

import { queryOptions } from "@tanstack/react-query";
import {
  canSignIn,
  leadToSignIn,
  newProof,
  takeAnswer,
} from "../../../../layers/stratabase/python/stratabase/core/http/pages/templates/sign_in.js";
import { t } from "../messages/messages";
import { ServiceError } from "../service/errors";
import { errorOf, sendAsNobody } from "../service/response";
import { serviceSettings } from "../service/settings";
import { session } from "./session";

export const PASSWORD = "password";

/** A way to sign in: `password`, or an identity provider. */
export interface Way {
  readonly name: string;
  readonly label: string;
  readonly url: string;
  /** Where the browser signs out of the provider, too. */
  readonly signOutUrl: string | null;
}

export const waysQuery = queryOptions({
  queryKey: ["ways"],
  queryFn: async () => {
    const response = await sendAsNobody(serviceSettings().addresses.ways, {
      headers: { accept: "application/json" },
    });
    if (!response.ok) throw await errorOf(response);
    return (await response.json()) as readonly Way[];
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Returns the identity providers among ways, if the browser has what the way to them takes. */
export function providersOf(ways: readonly Way[] | undefined): readonly Way[] {
  return canSignIn() ? (ways ?? []).filter(({ name }) => name !== PASSWORD) : [];
}

/** Leads this tab to a provider. It comes back to the page that is open. */
export async function leadToProvider({ url }: Way): Promise<void> {
  const { search, hash } = location;
  await leadToSignIn(url, { note: { search, hash } });
}

let failure: string | null = null;

/** Returns why the browser came back from a provider without a sign-in, once. */
export function takeFailure(): string | null {
  const taken = failure;
  failure = null;
  return taken;
}

/** Signs in with what the browser brings back from a provider, if it comes from there. */
export async function comeBack(): Promise<void> {
  const answer = takeAnswer();
  if (!answer) return;
  const { search = "", hash = "" } = (answer.note ?? {}) as { search?: string; hash?: string };
  history.replaceState(history.state, "", `${location.pathname}${search}${hash}`);
  try {
    if ("code" in answer) await session.exchange(answer.code, answer.verifier);
    else failure = t("Sign-in was canceled or refused.");
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
}

/** The channel on which a window of a sign-in tells how that ended. */
const CHANNEL = "stratabase.window";
const MARK = "window";

let awaited: BroadcastChannel | null = null;

/**
 * Opens a provider in a window, so that this page stays as it is, and returns the code and its verifier.
 *
 * Throws a ServiceError if the browser opens no window, or the member cancels. A later call takes the place of one
 * that is waiting.
 */
export async function askProviderInWindow(
  { url }: Way,
  further: Readonly<Record<string, string>> = {},
): Promise<{ code: string; verifier: string }> {
  const opened = window.open("about:blank", "_blank", "popup,width=520,height=720");
  if (!opened) {
    throw new ServiceError("REFUSED", t("The browser has blocked the window. Allow pop-ups for this page."));
  }
  opened.opener = null; // the provider's page must not lead this one elsewhere
  const { verifier, challenge } = await newProof();
  awaited?.close();
  const channel = new BroadcastChannel(CHANNEL);
  awaited = channel;
  const answered = new Promise<string | null>((resolve) => {
    channel.onmessage = ({ data }: MessageEvent<string | null>) => resolve(data);
  });
  const returnTo = `${document.baseURI}?${MARK}=1`;
  opened.location.replace(`${url}?${new URLSearchParams({ returnTo, challenge, ...further })}`);
  const code = await answered;
  channel.close();
  if (!code) throw new ServiceError("REFUSED", t("Sign-in was canceled or refused."));
  return { code, verifier };
}

/** In a window of `askProviderInWindow`: tells the page that opened it. Returns whether this is such a window. */
export function endsWindow(): boolean {
  const query = new URLSearchParams(location.search);
  if (query.get(MARK) !== "1") return false;
  history.replaceState(null, "", location.pathname);
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(query.get("code"));
  channel.close();
  window.close();
  return true;
}
