// What the REST API knows and does about members: see docs/members.md.

import { queryOptions } from "@tanstack/react-query";
import { sendJson } from "../service/request";
import { serviceSettings } from "../service/settings";

/** A member, as an administrator reads one. */
export interface MemberRecord {
  readonly id: string;
  readonly username: string;
  /** Empty for a program. */
  readonly email: string;
  readonly profile: string;
  readonly disabled: boolean;
  readonly pendingEmail?: string;
  /** Absent for a person. */
  readonly kind?: "program";
}

/** A sign-in that can still be renewed. */
export interface MemberSession {
  readonly id: string;
  readonly since: string;
  readonly renewed: string;
  /** `password`, or the name of a provider. */
  readonly way: string;
  readonly device: string;
  readonly address: string;
  readonly current: boolean;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly created: string;
  readonly expires: string | null;
  readonly profile: string | null;
  readonly networks: string | null;
  readonly lastUsed: string | null;
}

/** An API key just made, with the text that is shown once. */
export interface NewApiKey extends ApiKey {
  readonly key: string;
}

/** An account at an identity provider that the member can sign in with. */
export interface ProviderLink {
  readonly provider: string;
  readonly since: string;
}

export interface HandOverResult {
  readonly complete: boolean;
  readonly handedOver: number;
  readonly locked: number;
  readonly refused: number;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the address of a member, or of what belongs to one, such as `keys`. */
export function memberAddress(id: string, ...rest: readonly string[]): string {
  return [serviceSettings().addresses.members, id, ...rest]
    .map((each, index) => (index ? encodeURIComponent(each) : each))
    .join("/");
}

function memberPart<T>(id: string, part: string) {
  return queryOptions({
    queryKey: ["members", id, part],
    queryFn: () => sendJson<T>(memberAddress(id, part), "GET"),
  });
}

export const sessionsQuery = (id: string) => memberPart<readonly MemberSession[]>(id, "sessions");
export const keysQuery = (id: string) => memberPart<readonly ApiKey[]>(id, "keys");
export const linksQuery = (id: string) => memberPart<readonly ProviderLink[]>(id, "links");

export const memberRecordQuery = (id: string) =>
  queryOptions({
    queryKey: ["members", id],
    queryFn: () => sendJson<MemberRecord>(memberAddress(id), "GET"),
  });

export const createMember = (fields: Fields) =>
  sendJson<{ readonly id: string }>(serviceSettings().addresses.members, "POST", fields);
export const changeMember = (id: string, fields: Fields) => sendJson<void>(memberAddress(id), "PUT", fields);
export const deleteMember = (id: string) => sendJson<void>(memberAddress(id), "DELETE");
export const resetPassword = (id: string) => sendJson<void>(memberAddress(id, "resetPassword"), "GET");
export const handOver = (id: string, fields: Fields) =>
  sendJson<HandOverResult>(memberAddress(id, "handOver"), "POST", fields);
export const endSession = (id: string, session: string) =>
  sendJson<void>(memberAddress(id, "sessions", session), "DELETE");
export const endSessions = (id: string) => sendJson<void>(memberAddress(id, "sessions"), "DELETE");
export const createKey = (id: string, fields: Fields) =>
  sendJson<NewApiKey>(memberAddress(id, "keys"), "POST", fields);
export const endKey = (id: string, key: string) => sendJson<void>(memberAddress(id, "keys", key), "DELETE");
export const createLink = (id: string, fields: Fields) =>
  sendJson<ProviderLink>(memberAddress(id, "links"), "POST", fields);
export const endLink = (id: string, provider: string) =>
  sendJson<void>(memberAddress(id, "links", provider), "DELETE");
