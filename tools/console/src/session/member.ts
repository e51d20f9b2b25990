// The member who is signed in, as the API knows them.

import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { sendJson } from "../service/request";
import { serviceSettings } from "../service/settings";

export interface Member {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly language: string;
  readonly timeZone: string;
  readonly dateFormat: string;
  readonly timeFormat: string;
  readonly pendingEmail?: string;
}

export const memberQuery = queryOptions({
  queryKey: ["member"],
  queryFn: () => sendJson<Member>(serviceSettings().addresses.member, "GET"),
  staleTime: 300_000,
});

/** Returns the member who is signed in. The component waits until it is read. */
export function useMember(): Member {
  return useSuspenseQuery(memberQuery).data;
}
