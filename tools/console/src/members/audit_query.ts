// Reads the audit trail page by page, newest entries first.

import { infiniteQueryOptions } from "@tanstack/react-query";
import { send } from "../service/request";
import { serviceSettings } from "../service/settings";

/** An entry: see docs/audit-trail.md. */
export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  /** The ID of the member it is about. Empty for names that no member has. */
  readonly member: string;
  /** Empty if the member is deleted. */
  readonly username: string;
  /** The ID of who did it. Empty if it was no member. */
  readonly actor: string;
  readonly actorUsername: string;
  readonly way: string;
  readonly address: string;
  readonly device: string;
  readonly count?: number;
  readonly from?: string;
  readonly to?: string;
  readonly profile?: string;
  readonly sessions?: string;
  readonly name?: string;
  readonly provider?: string;
}

interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** The ID after which the next page begins, or null. */
  readonly after: string | null;
}

const PAGE = 50;

/** `member`: the ID of a member whom all entries are about, or null for all. */
export const auditQuery = (member: string | null) =>
  infiniteQueryOptions({
    queryKey: ["audit", member],
    queryFn: ({ pageParam, signal }) => readPage(member, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ after }) => after,
    staleTime: 0,
  });

async function readPage(
  member: string | null,
  after: string | null,
  signal: AbortSignal,
): Promise<AuditPage> {
  const parameters = new URLSearchParams({ limit: String(PAGE) });
  if (member) parameters.set("member", member);
  if (after) parameters.set("after", after);
  const response = await send(`${serviceSettings().addresses.audit}?${parameters}`, {
    headers: { accept: "application/json" },
    signal,
  });
  return {
    entries: (await response.json()) as readonly AuditEntry[],
    after: nextAfter(response.headers.get("link")),
  };
}

/** Returns the ID in a header such as `<…/audit?after=06h…>; rel="next"`. */
export function nextAfter(link: string | null): string | null {
  const address = /<([^>]+)>;\s*rel="next"/.exec(link ?? "")?.[1];
  return address === undefined ? null : new URL(address, document.baseURI).searchParams.get("after");
}
