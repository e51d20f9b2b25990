// Reads members over GraphQL, where they can be searched, filtered and paged.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { ask } from "../service/graphql";

/** A member as lists show one. */
export interface ListedMember {
  readonly _id: string;
  readonly username: string;
  /** Null for a program. */
  readonly email: string | null;
  readonly profile: string;
  readonly disabled: boolean;
}

/** What GraphQL knows of a member and REST shows to the member alone. */
export interface MemberDetails {
  readonly notes: string | null;
  readonly language: string;
  readonly timeZone: string;
  readonly dateFormat: string;
  readonly timeFormat: string;
}

export interface MemberFilter {
  /** A part of a username or of an email address. */
  readonly search: string;
  /** Empty for all. */
  readonly profile: string;
  readonly state: "" | "active" | "disabled";
}

interface MemberPage {
  readonly items: readonly ListedMember[];
  readonly totalCount: number;
  readonly hasNext: boolean;
  readonly nextCursor: string | null;
}

const PAGE = 50;
const MEMBERS = `query Members($options: _UserPageOptions) {
  _User___getPage(options: $options) {
    items { _id username email profile disabled }
    totalCount
    hasNext
    nextCursor
  }
}`;
const DETAILS = `query MemberDetails($id: ID!) {
  _User___get(_id: $id) { notes language timeZone dateFormat timeFormat }
}`;

export function filterInput({ search, profile, state }: MemberFilter): object {
  const text = search.trim();
  return {
    ...(text ? { OR: [{ username___contains: text }, { email___contains: text }] } : {}),
    ...(profile ? { profile___eq: profile } : {}),
    ...(state ? { disabled___eq: state === "disabled" } : {}),
  };
}

async function readPage(
  filter: MemberFilter,
  cursor: string | null,
  signal: AbortSignal,
): Promise<MemberPage> {
  const options = {
    filter: filterInput(filter),
    orderBy: ["username___ASC"],
    next: PAGE,
    ...(cursor ? { cursor } : {}),
  };
  const { data } = await ask<{ _User___getPage: MemberPage }>(MEMBERS, { options }, signal);
  return data._User___getPage;
}

export const membersQuery = (filter: MemberFilter) =>
  infiniteQueryOptions({
    queryKey: ["members", "list", filter],
    queryFn: ({ pageParam, signal }) => readPage(filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.hasNext ? page.nextCursor : null),
  });

/** The first members whose names match a text, for pickers. */
export const memberSuggestionsQuery = (search: string) =>
  queryOptions({
    queryKey: ["members", "suggestions", search],
    queryFn: async ({ signal }) => (await readPage({ search, profile: "", state: "" }, null, signal)).items,
  });

export const memberDetailsQuery = (id: string) =>
  queryOptions({
    queryKey: ["members", id, "details"],
    queryFn: async () => (await ask<{ _User___get: MemberDetails | null }>(DETAILS, { id })).data._User___get,
  });
