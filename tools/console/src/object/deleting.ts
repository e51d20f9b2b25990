// What the deletion of an object needs to know, and does.

import { isToMany, type Model, type ModelClass } from "../description/model";
import { isShownRole } from "../documents/object";
import { deleteDocument, validateDeleteDocument } from "../documents/write";
import type { Issue } from "../service/errors";
import { ask } from "../service/graphql";

/** A count above this isn't worth its cost. */
const COUNTED = 1000;

/** What goes with an object, or no longer leads to it. */
export interface Dependents {
  readonly role: string;
  readonly isPart: boolean;
  readonly count: number;
  readonly hasMore: boolean;
}

export interface Deletion {
  readonly issues: readonly Issue[];
  readonly dependents: readonly Dependents[];
}

type Counted = Readonly<Record<string, { totalCountUpTo?: { count: number; more: boolean } } | null>>;

/** Returns what keeps an object from being deleted, and what depends on it. */
export async function judgeDeletion(
  model: Model,
  class_: ModelClass,
  id: string,
  signal?: AbortSignal,
): Promise<Deletion> {
  const roles = class_.roles.filter(
    (role) => role.kind !== "WHOLE" && isShownRole(model, role) && model.of(role.target).kind !== "USERS",
  );
  const relevant = roles.filter(({ kind, key }) => kind === "COMPOSITION" || !key);
  const selection = relevant
    .map((role) =>
      isToMany(role)
        ? `${role.name} { totalCountUpTo(limit: ${COUNTED}) { count more } }`
        : `${role.name} { _id }`,
    )
    .join(" ");
  const { data } = await ask<{
    readonly result: { readonly issues: readonly Issue[] };
    readonly object?: Counted | null;
  }>(validateDeleteDocument(class_, selection), { id }, signal);
  const dependents = relevant.map((role) => {
    const found = data.object?.[role.name];
    const count = isToMany(role) ? (found?.totalCountUpTo?.count ?? 0) : found ? 1 : 0;
    return {
      role: role.name,
      isPart: role.kind === "COMPOSITION",
      count,
      hasMore: found?.totalCountUpTo?.more ?? false,
    };
  });
  return { issues: data.result.issues, dependents: dependents.filter(({ count }) => count > 0) };
}

/** Deletes an object. It is no error if somebody else has deleted it before. */
export async function deleteObject(
  class_: ModelClass,
  id: string,
  revision: string | null,
  isForced: boolean,
): Promise<void> {
  await ask(deleteDocument(class_), {
    id,
    ifRevision: revision,
    ...(isForced ? { forceWarnings: { actionVeto: true, dataValidation: true } } : {}),
  });
}
