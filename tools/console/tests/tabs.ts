// Several tabs in one test: a service that gives tokens, and channels that deliver at once.

import { vi } from "vitest";
import { Session, type SessionService } from "../src/session/tab_session";

export const ADDRESSES = {
  token: "https://api.example.com/public/token/getJwtToken",
  refresh: "https://api.example.com/auth/token/refreshJwtToken",
  exchange: "https://api.example.com/public/token/exchange",
  members: "https://api.example.com/auth/administration/members",
};

/** A BroadcastChannel that delivers at once, to all others of its name. */
export class Channel {
  static open: Channel[] = [];
  onmessage: ((event: { data: unknown }) => void) | null = null;

  constructor(readonly name: string) {
    Channel.open.push(this);
  }

  postMessage(data: unknown): void {
    for (const each of Channel.open) {
      if (each !== this && each.name === this.name) each.onmessage?.({ data });
    }
  }

  close(): void {
    Channel.open = Channel.open.filter((each) => each !== this);
  }
}

/** A service with sessions that can be ended, and a clock that the test moves. */
export class Service {
  readonly sent: string[] = [];
  /** What a request to an address is answered with instead of a token. */
  readonly refusals = new Map<string, () => Promise<Response>>();
  #tokens = 0;
  #sessions = 0;

  readonly port: SessionService = {
    addresses: () => ADDRESSES,
    send: (address, init = {}) => this.#send(address, init),
    errorOf: async (response) => new Error(`refused with ${response.status}`),
    signedOut: () => new Error("signed out"),
  };

  refuse(address: string, status: number): void {
    this.refusals.set(address, async () => new Response(null, { status }));
  }

  async #send(address: string, init: RequestInit): Promise<Response> {
    this.sent.push(`${init.method ?? "GET"} ${address}`);
    const refusal = this.refusals.get(address);
    if (refusal) return refusal();
    if (init.method === "DELETE") return new Response(null, { status: 204 });
    const header = new Headers(init.headers).get("authorization");
    if (address === ADDRESSES.refresh) return this.#token(claimsOf(header ?? ""));
    const { username } = JSON.parse(String(init.body)) as { username?: string };
    this.#sessions += 1;
    const name = username ?? "admin";
    return this.#token({
      __id: `id-${name}`,
      username: name,
      sid: `session-${this.#sessions}`,
      auth_time: Math.floor(Date.now() / 1000),
    });
  }

  #token(claims: object): Response {
    this.#tokens += 1;
    const encoded = btoa(JSON.stringify({ ...claims, jti: this.#tokens })).replace(/=+$/, "");
    return Response.json({ access_token: `h.${encoded}.s`, token_type: "Bearer", expires_in: 1800 });
  }
}

function claimsOf(header: string): object {
  return JSON.parse(atob(header.split(".")[1] ?? "")) as object;
}

const opened: Session[] = [];

/** Opens a tab with a sessionStorage of its own, and waits until it has asked the others. */
export async function openTab(service: Service): Promise<Session> {
  sessionStorage.clear();
  const tab = new Session(service.port);
  opened.push(tab);
  const started = tab.start();
  await vi.advanceTimersByTimeAsync(500);
  await started;
  return tab;
}

export function closeTabs(): void {
  for (const tab of opened.splice(0)) tab.close();
  Channel.open = [];
  sessionStorage.clear();
}
