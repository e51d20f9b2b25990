import { useSyncExternalStore } from "react";
import { type SessionState, session } from "./session";

/** Returns who is signed in. */
export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, session.state);
}
