// What the console has to know about a type of attributes. `registry.ts` has one row for each.

import type { ComponentType } from "react";
import type { Attribute } from "../description/model";

/** A condition of a filter on an attribute, by its suffix in the API. */
export type Operator =
  | "eq"
  | "ne"
  | "lt"
  | "lte"
  | "gt"
  | "gte"
  | "in"
  | "contains"
  | "starts_with"
  | "ends_with"
  | "null"
  | "not___null";

export interface EditorProps {
  readonly attribute: Attribute;
  readonly label: string;
  /** The value as inputs of the API have it; null if there is none. */
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** The member leaves the field. */
  readonly onBlur?: () => void;
  readonly isRequired?: boolean;
  readonly isReadOnly?: boolean;
  /** What is wrong with the value. */
  readonly error?: string | undefined;
  /** A warning about the value. */
  readonly warning?: string | undefined;
}

export interface ValueType {
  /** Whether values stand at the end of a column, as numbers do. */
  readonly isNumeric: boolean;
  readonly isSortable: boolean;
  readonly operators: readonly Operator[];
  /**
   * What follows the field's name in a selection that is shown, such as `{ name size }`.
   *
   * Dates and numbers are selected without `format`, so that the service writes them in the member's formats.
   */
  readonly shown: string;
  /** What follows the field's name in a selection that is edited, such as `(format: "iso")`. */
  readonly edited: string;
  /** Returns a value of a selection that is shown as a text. Null values are the caller's business. */
  toText(value: unknown, attribute: Attribute): string;
  /** Returns a value of a selection that is edited as inputs of the API have it. */
  toInput(value: unknown): unknown;
  /** How a value looks in tables and on pages, unless it is just its text. */
  readonly Cell?: ComponentType<{ readonly value: unknown; readonly attribute: Attribute }>;
  /** The field of forms. It loads when a form is shown. */
  readonly Editor: ComponentType<EditorProps>;
}
