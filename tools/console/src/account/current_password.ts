// The current password, which the service asks for with changes that lead to the account.

import { useSuspenseQuery } from "@tanstack/react-query";
import { sessionsQuery } from "../members/requests";
import type { ServiceError } from "../service/errors";
import { useMember } from "../session/member";
import { PASSWORD } from "../session/provider";

/**
 * Whether the form asks for the current password.
 *
 * Who has signed in with a provider may have none. If the service needs one all the same, it says so.
 */
export function useHasPassword(): boolean {
  const { id } = useMember();
  const { data: sessions } = useSuspenseQuery(sessionsQuery(id));
  const own = sessions.find(({ current }) => current);
  return own === undefined || own.way === PASSWORD;
}

/** Whether the service has refused the current password: its response is 401, or 429 after too many. */
export function isWrongPassword({ kind, status }: ServiceError): boolean {
  return status === 401 || (kind === "UNAVAILABLE" && status === 429);
}
