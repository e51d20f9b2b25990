// Asks the service what saving a draft would change.

import type { Model, ModelClass } from "../description/model";
import { objectSelection } from "../documents/object";
import { previewDocument } from "../documents/write";
import type { Issue } from "../service/errors";
import { ask } from "../service/graphql";
import type { Shown } from "./differences";

export interface Preview {
  /** The object as it is, or null if it is new. */
  readonly before: Shown | null;
  /** The object as saving would leave it, as far as the issues allow to say. */
  readonly after: Shown | null;
  /** What keeps it from being saved. */
  readonly issues: readonly Issue[];
}

interface Answer {
  readonly before?: Shown | null;
  readonly after: Shown | null;
}

/** Returns what an input would change of an object, which is null if the input creates it. */
export async function preview(
  model: Model,
  class_: ModelClass,
  id: string | null,
  data: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Preview> {
  const kind = id === null ? "create" : "update";
  const document = previewDocument(class_, kind, objectSelection(model, class_, "shown"));
  const isNamed = id !== null && class_.kind !== "SINGLETON";
  const variables = { data, ...(isNamed ? { id } : {}) };
  const { data: answer, issues } = await ask<Answer>(document, variables, signal);
  return { before: answer.before ?? null, after: answer.after, issues };
}
