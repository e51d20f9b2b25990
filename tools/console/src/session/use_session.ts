import { useSyncExternalStore } from "react";
import { session } from "./session";
import type { SessionState } from "./tab_session";

/** Returns who is signed in. */
export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, session.state);
}
