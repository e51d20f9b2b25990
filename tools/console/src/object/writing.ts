// Writes a draft. A write whose answer was lost can be sent again, and is done once.

import type { Model, ModelClass } from "../description/model";
import type { StoredObject } from "../description/stored_object";
import { objectSelection } from "../documents/object";
import { writeDocument } from "../documents/write";
import { ServiceError, type ServiceErrorKind } from "../service/errors";
import { ask } from "../service/graphql";
import { newKey } from "../service/idempotency_key";
import { createInput, updateInput } from "./changes";
import type { Draft } from "./draft";
import { validate } from "./use_validation";

/** After these, nobody knows whether the write was done. */
const UNKNOWN: ReadonlySet<ServiceErrorKind> = new Set(["OFFLINE", "UNAVAILABLE", "FAILED"]);

/** Lets warnings pass that don't block. */
const FORCED = { actionVeto: true, dataValidation: true };

/** Returns what saving a draft sends. */
export function inputOf(draft: Draft, original: Draft): Record<string, unknown> {
  return draft.id === null ? createInput(draft) : updateInput(draft, original);
}

/** Writes drafts of one form. */
export class Writer {
  /** The write whose answer was lost, and its key. */
  #lost: { readonly body: string; readonly key: string } | null = null;

  constructor(
    readonly model: Model,
    readonly class_: ModelClass,
  ) {}

  /**
   * Creates or updates an object, and returns it as forms read it.
   *
   * Throws a ServiceError with the issues if the service refuses it. Warnings refuse it too, unless `isForced`.
   */
  async write(draft: Draft, original: Draft, isForced: boolean): Promise<StoredObject> {
    const kind = draft.id === null ? "create" : "update";
    const data = inputOf(draft, original);
    // Who forces a draft knows its issues.
    const refusal = isForced ? null : await this.#refusal(draft, data);
    if (refusal) throw refusal;
    const document = writeDocument(this.class_, kind, objectSelection(this.model, this.class_, "edited"));
    const variables = {
      data,
      ...(kind === "update" ? { ifRevision: original.revision } : {}),
      ...(isForced ? { forceWarnings: FORCED } : {}),
    };
    const body = JSON.stringify(variables);
    const key = this.#lost?.body === body ? this.#lost.key : newKey();
    try {
      const { data: written } = await ask<{ object: StoredObject }>(document, variables, undefined, key);
      this.#lost = null;
      return written.object;
    } catch (error) {
      const isLost = error instanceof ServiceError && UNKNOWN.has(error.kind);
      this.#lost = isLost ? { body, key } : null;
      throw error;
    }
  }

  /**
   * Returns why an object that is created would be refused, or null.
   *
   * A mutation without a required field doesn't fit the schema, and its errors have no place in a form.
   */
  async #refusal(draft: Draft, data: object): Promise<ServiceError | null> {
    if (!hasNew(draft)) return null;
    const issues = await validate(this.class_, draft.id === null ? "create" : "update", data);
    const [first] = issues.filter(({ issueLevel }) => issueLevel === "ERROR");
    return first ? new ServiceError("REFUSED", first.userMessage, issues) : null;
  }
}

/** Whether a draft creates an object: the whole, or a part. */
function hasNew(draft: Draft): boolean {
  if (draft.isDeleted) return false;
  return draft.id === null || Object.values(draft.parts).some(({ drafts }) => drafts.some(hasNew));
}
