// Asks before a page with unsaved changes is left: by a link, by the browser's buttons, or with the tab.

import { useEffect, useSyncExternalStore } from "react";

type Action = () => void;

/** The pages that have unsaved changes: what they are, for the question. */
const guards = new Set<object>();
const listeners = new Set<Action>();
let asked: Action | null = null;

function ask(action: Action | null): void {
  asked = action;
  for (const listener of listeners) listener();
}

/** Does something that leaves the page, after the member has agreed if there are unsaved changes. */
export function leave(action: Action): void {
  if (guards.size === 0) action();
  else ask(action);
}

/** Keeps the member from leaving the page by accident while something is unsaved. */
export function useLeaveGuard(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const guard = {};
    guards.add(guard);
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => {
      guards.delete(guard);
      window.removeEventListener("beforeunload", warn);
    };
  }, [isUnsaved]);
}

/** Lets a page be left without a question, such as after it was saved. */
export function stopGuarding(): void {
  guards.clear();
}

/** What the member wants to do that leaves the page, while they are asked. */
export function useAskedToLeave(): { readonly isAsked: boolean; stay: Action; go: Action } {
  const action = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
  return {
    isAsked: action !== null,
    stay: () => ask(null),
    go: () => {
      stopGuarding();
      ask(null);
      action?.();
    },
  };
}

/** The place of an entry in the tab's history, so that a step back and a step forward can be told apart. */
function indexOf(state: unknown): number | null {
  const index = (state as { readonly index?: unknown } | null)?.index;
  return typeof index === "number" ? index : null;
}

let current = indexOf(history.state) ?? 0;

interface NavigationOptions {
  readonly replace?: boolean;
  readonly state?: unknown;
}

/** Goes to another page, if the member agrees, and remembers its place in the tab's history. */
export function guarded<O extends NavigationOptions>(go: (options: O) => void, options: O | undefined): void {
  leave(() => {
    if (!options?.replace) current += 1;
    go({ ...(options as O), state: { ...(options?.state as object | null), index: current } });
  });
}

/** Begins to watch the browser's own buttons. Call it before the first page is shown. */
export function watchHistory(): void {
  let isAllowed = false;
  let refused: number | null = null;
  window.addEventListener("popstate", (event) => {
    const index = indexOf(event.state);
    const steps = index === null ? -1 : index - current;
    if (refused !== null) {
      // The address is back at the page, which has stayed.
      const wanted = refused;
      refused = null;
      event.stopImmediatePropagation();
      ask(() => {
        isAllowed = true;
        history.go(wanted);
      });
    } else if (isAllowed || guards.size === 0 || steps === 0) {
      isAllowed = false;
      current = index ?? current + steps;
    } else {
      refused = steps;
      event.stopImmediatePropagation();
      history.go(-steps);
    }
  });
}
