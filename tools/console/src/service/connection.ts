// Whether the service can be reached, as the latest requests found.

import { onlineManager } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { serviceSettings } from "./settings";

export type ConnectionProblem =
  /** The browser gets no response. */
  | "OFFLINE"
  /** The service, or what stands before it, responds that it can't do anything now. */
  | "UNAVAILABLE";

const UNAVAILABLE = new Set([502, 503, 504]);
/** Milliseconds until the service is asked again, for the first time and at most. */
const PAUSE = { first: 2_000, longest: 30_000 };

class Connection {
  #problem: ConnectionProblem | null = null;
  #pause = PAUSE.first;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  /** Follows the browser, and lets queries wait until the service can be reached. */
  start(): void {
    onlineManager.setEventListener(() => undefined);
    onlineManager.setOnline(this.#problem !== "OFFLINE");
    window.addEventListener("offline", () => this.lose());
    window.addEventListener("online", () => void this.tryAgain());
    if (!navigator.onLine) this.lose();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  problem = (): ConnectionProblem | null => this.#problem;

  /** Takes note of a response. */
  note(response: Response): void {
    this.#show(UNAVAILABLE.has(response.status) ? "UNAVAILABLE" : null);
  }

  /** Takes note that a request got no response. */
  lose(): void {
    this.#show("OFFLINE");
  }

  /** Asks the service whether it responds again. */
  async tryAgain(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      this.note(await fetch(serviceSettings().addresses.health, { credentials: "omit", cache: "no-store" }));
    } catch {
      this.lose();
    }
  }

  /** Asks the service whether it responds, and waits until it does. */
  async answers(): Promise<void> {
    await this.tryAgain();
    if (this.#problem === null) return;
    await new Promise<void>((resolve) => {
      const stop = this.subscribe(() => {
        if (this.#problem !== null) return;
        stop();
        resolve();
      });
    });
  }

  #show(problem: ConnectionProblem | null): void {
    if (problem === null) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#pause = PAUSE.first;
    } else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => void this.tryAgain(), this.#pause);
      this.#pause = Math.min(2 * this.#pause, PAUSE.longest);
    }
    if (problem === this.#problem) return;
    this.#problem = problem;
    onlineManager.setOnline(problem !== "OFFLINE");
    for (const listener of this.#listeners) listener();
  }
}

export const connection = new Connection();

/** Returns why the service can't be used at the moment, or null. */
export function useConnectionProblem(): ConnectionProblem | null {
  return useSyncExternalStore(connection.subscribe, connection.problem);
}
