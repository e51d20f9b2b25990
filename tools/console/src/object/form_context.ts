// What the fields of a form share: the draft, what is wrong with it, and how to change it.

import { createContext, useContext } from "react";
import type { Model, ModelClass } from "../description/model";
import type { Draft, DraftPath, PartsDraft } from "./draft";
import type { PlacedIssues } from "./issues";

export interface FormContextValue {
  readonly model: Model;
  /** The class of the object whose form it is. */
  readonly class_: ModelClass;
  readonly draft: Draft;
  /** The draft as it was read. */
  readonly original: Draft;
  /** The issues that the form shows at the moment. */
  readonly issues: PlacedIssues;
  /** Shows all as of an instant, or the present if it is null. */
  readonly asOf: string | null;
  readonly actions: FormActions;
}

/** They stay the same as long as the form, so that unchanged fields needn't be drawn again. */
export interface FormActions {
  /** Changes a field of the draft at a place. */
  change(path: DraftPath, field: string, change: (draft: Draft) => Draft): void;
  /** Notes that the member has left a field, which is validated then. */
  leave(path: DraftPath, field: string): void;
  /** Takes over parts that were read when they were opened. */
  addRead(path: DraftPath, role: string, parts: PartsDraft): void;
}

export const FormContext = createContext<FormContextValue | null>(null);

/** Returns the form that a field is in. */
export function useForm(): FormContextValue {
  const form = useContext(FormContext);
  if (!form) throw new Error("A field stands outside a form.");
  return form;
}
