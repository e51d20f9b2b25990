// Who is signed in: a token for this tab, renewed while the tab is open.
//
// The token is in memory and in this tab's sessionStorage. GraphiQL and the API reference keep it at the same place, so
// that a member who is signed in to one of the pages is signed in to all of them in this tab.

import { OtherTabs } from "./other_tabs";
import { type Kept, keptOf, restored, type TokenResponse } from "./token";

const KEPT_AS = "stratabase.session";
/** Milliseconds before its end at which a token is renewed. */
const SOON = 60_000;
/** Milliseconds after which a renewal that got no answer is tried again. */
const AGAIN = 20_000;

export interface SessionAddresses {
  readonly token: string;
  readonly refresh: string;
  readonly exchange: string;
  readonly members: string;
}

/** How a page talks to the service. */
export interface SessionService {
  addresses(): SessionAddresses;
  /** Sends a request without credentials of its own. Throws if no response comes. */
  send(address: string, init?: RequestInit): Promise<Response>;
  /** Returns the error that a response reports. */
  errorOf(response: Response): Promise<Error>;
  /** Returns the error of a request that nobody is signed in for. */
  signedOut(): Error;
}

export type SessionStatus =
  /** Nobody is signed in. */
  | "OUT"
  | "IN"
  /** The service no longer accepts the token. What is on the page waits until the member signs in again. */
  | "ENDED";

export interface SessionState {
  readonly status: SessionStatus;
  readonly username: string | null;
  /** The ID of the member. */
  readonly member: string | null;
  /** Whether a request waits for a new sign-in, although the session lives. */
  readonly isStale: boolean;
  /** The name of another member, who has signed in where this one was asked to. */
  readonly other: string | null;
  /** Whether the member has signed out in another tab. */
  readonly isOutElsewhere: boolean;
}

const NOBODY: SessionState = {
  status: "OUT",
  username: null,
  member: null,
  isStale: false,
  other: null,
  isOutElsewhere: false,
};

export class Session {
  readonly #service: SessionService;
  #tabs: OtherTabs | null = null;
  #kept: Kept | null = null;
  /** The token of another member, until this tab's member knows what that means. */
  #other: Kept | null = null;
  #state: SessionState = NOBODY;
  #renewal: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(service: SessionService) {
    this.#service = service;
  }

  /** Finds the session of this tab, or else of the open ones. */
  async start(): Promise<void> {
    const name = this.#name();
    this.#tabs = new OtherTabs(name, {
      kept: () => this.#kept,
      onSignedIn: (kept) => this.#join(kept),
      onSignedOut: (session) => this.#leaveWith(session),
    });
    const found = restored(name, sessionStorage.getItem(KEPT_AS));
    if (this.#kept) this.#tabs.tellSignedIn(this.#kept);
    const kept = found ?? (await this.#tabs.ask());
    if (kept && !this.#kept) this.#keep(kept);
  }

  /** Stops what works by itself, for tests. */
  close(): void {
    clearTimeout(this.#timer);
    this.#tabs?.close();
  }

  // Both are for React's useSyncExternalStore.
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  state = (): SessionState => this.#state;

  /** Gets a token for a username and a password. Throws if the service refuses them. */
  async signIn(username: string, password: string): Promise<void> {
    await this.#begin(this.#service.addresses().token, { username, password });
  }

  /**
   * Gets a token for the code with which the browser comes back from a sign-in page. Throws if it is refused.
   *
   * Returns false if a new sign-in is needed, and the provider reports an older one.
   */
  exchange(code: string, verifier: string): Promise<boolean> {
    return this.#begin(this.#service.addresses().exchange, { code, verifier });
  }

  /** Ends the session on the service, here and in the other tabs. */
  async signOut(): Promise<void> {
    const kept = this.#kept;
    this.#forget(NOBODY);
    if (!kept) return;
    this.#tabs?.tellSignedOut(kept.session);
    await this.#endOnService(kept);
  }

  /** Goes on as the other member who has signed in. What was on the page is lost. */
  acceptOther(): void {
    const other = this.#other;
    if (!other) return;
    this.#forget(NOBODY);
    this.#keep(other);
  }

  /** Ends the session of the other member, and asks again. */
  async refuseOther(): Promise<void> {
    const other = this.#other;
    this.#other = null;
    this.#show({ ...this.#state, other: null });
    if (other) await this.#endOnService(other);
  }

  /** Lets the request that needs a new sign-in fail. */
  keepStale(): void {
    this.#show({ ...this.#state, isStale: false, other: null });
  }

  /** Forgets a session that has ended, with what waits for it. */
  giveUp(): void {
    this.#forget(NOBODY);
  }

  /**
   * Returns the value of the header Authorization.
   *
   * If the session has ended, this waits until the member has signed in again. Throws if the member gives up, another
   * one signs in, or nobody is signed in.
   */
  async authorization(): Promise<string> {
    const { member } = this.#state;
    await this.#until(() => this.#state.status !== "ENDED");
    if (this.#kept && this.#kept.ends - Date.now() < SOON) await this.#renewed();
    await this.#until(() => this.#state.status !== "ENDED");
    if (!this.#kept || this.#kept.member !== member) throw this.#service.signedOut();
    return `Bearer ${this.#kept.token}`;
  }

  /** Takes note that the service no longer accepts a token, unless there is a newer one already. */
  reject(authorization: string): void {
    if (this.#kept && authorization === `Bearer ${this.#kept.token}`) this.#end();
  }

  /** Asks the member to sign in again. Returns false if the member doesn't want to. */
  async renewSignIn(authorization: string): Promise<boolean> {
    if (!this.#kept) return false;
    const { member, signedIn } = this.#kept;
    const isSame = authorization === `Bearer ${this.#kept.token}`;
    if (!isSame) return true;
    this.#show({ ...this.#state, isStale: true });
    await this.#until(() => !this.#state.isStale && this.#state.status !== "ENDED");
    return this.#kept?.member === member && this.#kept.signedIn > signedIn;
  }

  /** The address that gives tokens, as tabs of the same service have it in common. */
  #name(): string {
    return new URL(this.#service.addresses().token, document.baseURI).href;
  }

  #until(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        if (!isSo()) return;
        stop();
        resolve();
      });
    });
  }

  async #begin(address: string, proof: object): Promise<boolean> {
    const response = await this.#service.send(address, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(proof),
    });
    if (!response.ok) throw await this.#service.errorOf(response);
    const kept = keptOf(this.#name(), (await response.json()) as TokenResponse);
    const isAwaited = this.#state.status === "ENDED" || this.#state.isStale;
    if (isAwaited && kept.member !== this.#state.member) {
      this.#other = kept;
      this.#show({ ...this.#state, other: kept.username });
      return true;
    }
    const isOld = this.#state.isStale && kept.signedIn <= (this.#kept?.signedIn ?? 0);
    this.#keep(kept, isOld);
    this.#tabs?.tellSignedIn(kept);
    return !isOld;
  }

  #renewed(): Promise<void> {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #renew(): Promise<void> {
    const kept = this.#kept;
    if (!kept) return;
    try {
      const headers = { authorization: `Bearer ${kept.token}`, accept: "application/json" };
      const response = await this.#service.send(this.#service.addresses().refresh, { headers });
      if (this.#kept !== kept) return; // signed out, or in again, meanwhile
      if (response.status === 401) this.#end();
      else if (response.ok)
        this.#keep(keptOf(this.#name(), (await response.json()) as TokenResponse), this.#state.isStale);
      else this.#renewIn(AGAIN);
    } catch {
      // The service doesn't answer now. The token is good until its end.
      if (this.#kept === kept) this.#renewIn(AGAIN);
    }
  }

  #renewIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#renewed(), milliseconds);
  }

  /** Another tab has signed in: goes on with its token if this one belongs to the same member. */
  #join(kept: Kept): void {
    if (kept.member === this.#state.member && kept.signedIn >= (this.#kept?.signedIn ?? 0)) this.#keep(kept);
  }

  #leaveWith(session: string): void {
    if (this.#kept?.session === session) this.#forget({ ...NOBODY, isOutElsewhere: true });
  }

  #end(): void {
    const { username, member } = this.#state;
    this.#forget({ ...NOBODY, status: "ENDED", username, member });
  }

  #forget(state: SessionState): void {
    this.#kept = null;
    this.#other = null;
    sessionStorage.removeItem(KEPT_AS);
    clearTimeout(this.#timer);
    this.#show(state);
  }

  #keep(kept: Kept, isStale = false): void {
    this.#kept = kept;
    this.#other = null;
    sessionStorage.setItem(KEPT_AS, JSON.stringify(kept));
    this.#renewIn(Math.max(SOON / 2, kept.ends - Date.now() - SOON));
    this.#show({ ...NOBODY, status: "IN", username: kept.username, member: kept.member, isStale });
  }

  #show(state: SessionState): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }

  async #endOnService({ token, member, session }: Kept): Promise<void> {
    try {
      await this.#service.send(`${this.#service.addresses().members}/${member}/sessions/${session}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${token}` },
        keepalive: true,
      });
    } catch {
      // The service doesn't answer now. The token is forgotten, and ends by itself.
    }
  }
}
