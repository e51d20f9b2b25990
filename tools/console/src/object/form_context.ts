// What the fields of a form share: where they are, what is wrong with them, and how to change them.

import { createContext, useContext } from "react";
import type { Model, ModelClass } from "../description/model";
import type { Draft, DraftPath, PartsDraft } from "./draft";
import { NO_ISSUES, type PlacedIssues } from "./issues";

/** It stays the same while the member types, so that only what changes is drawn again. */
export interface FormContextValue {
  readonly model: Model;
  /** The class of the object whose form it is. */
  readonly class_: ModelClass;
  /** The `_id` of the object, or null if it is new. */
  readonly objectId: string | null;
  /** Shows all as of an instant, or the present if it is null. */
  readonly asOf: string | null;
  readonly actions: FormActions;
}

export interface FormActions {
  /** Changes a field of the draft at a place. */
  change(path: DraftPath, field: string, change: (draft: Draft) => Draft): void;
  /** Notes that the member has left a field, which is validated then. */
  leave(path: DraftPath, field: string): void;
  /** Takes over parts that were read when they were opened. */
  addRead(path: DraftPath, role: string, parts: PartsDraft): void;
}

export const FormContext = createContext<FormContextValue | null>(null);
/** The issues that the form shows at the moment. */
export const IssuesContext = createContext<PlacedIssues>(NO_ISSUES);

/** Returns the form that a field is in. */
export function useForm(): FormContextValue {
  const form = useContext(FormContext);
  if (!form) throw new Error("A field stands outside a form.");
  return form;
}

/** Returns what is wrong with the form that a field is in. */
export function useIssues(): PlacedIssues {
  return useContext(IssuesContext);
}
