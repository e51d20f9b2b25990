// What the tabs of one browser tell each other about their sessions.
//
// A BroadcastChannel reaches pages of this origin only, so no other origin sees a token.

import type { Kept } from "./token";

type Message =
  | { readonly kind: "ASK" }
  | { readonly kind: "ANSWER"; readonly kept: Kept }
  | { readonly kind: "SIGNED_IN"; readonly kept: Kept }
  | { readonly kind: "SIGNED_OUT"; readonly session: string };

/** Milliseconds in which open tabs answer a new one. */
const PATIENCE = 200;

export interface TabListener {
  /** What this tab tells a new one. */
  kept(): Kept | null;
  onSignedIn(kept: Kept): void;
  onSignedOut(session: string): void;
}

export class OtherTabs {
  readonly #channel: BroadcastChannel;
  #answers: Kept[] = [];

  /** `service` is what tabs of the same service have in common. */
  constructor(service: string, listener: TabListener) {
    this.#channel = new BroadcastChannel(`stratabase.session ${service}`);
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data, listener);
  }

  /** Returns the session of the open tabs, or null if there is none, or they are of several members. */
  async ask(): Promise<Kept | null> {
    this.#answers = [];
    this.#tell({ kind: "ASK" });
    await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    const members = new Set(this.#answers.map(({ member }) => member));
    if (members.size !== 1) return null;
    return this.#answers.reduce((best, each) => (each.ends > best.ends ? each : best));
  }

  close(): void {
    this.#channel.close();
  }

  tellSignedIn(kept: Kept): void {
    this.#tell({ kind: "SIGNED_IN", kept });
  }

  tellSignedOut(session: string): void {
    this.#tell({ kind: "SIGNED_OUT", session });
  }

  #tell(message: Message): void {
    this.#channel.postMessage(message);
  }

  #hear(message: Message, listener: TabListener): void {
    if (message.kind === "ANSWER") this.#answers.push(message.kept);
    else if (message.kind === "SIGNED_IN") listener.onSignedIn(message.kept);
    else if (message.kind === "SIGNED_OUT") listener.onSignedOut(message.session);
    else this.#answer(listener.kept());
  }

  #answer(kept: Kept | null): void {
    if (kept) this.#tell({ kind: "ANSWER", kept });
  }
}
