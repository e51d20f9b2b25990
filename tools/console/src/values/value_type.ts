// What the console has to know about a type of attributes. `registry.ts` has one row for each.

import type { ComponentType } from "react";
import type { Attribute } from "../description/model";
import type { Formats } from "./instant_text";

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
  /** What the field is for. Without it, the description of the attribute in the model. */
  readonly description?: string | undefined;
}

export interface ValueType {
  /** Whether values stand at the end of a column, as numbers do. */
  readonly isNumeric: boolean;
  readonly isSortable: boolean;
  /** Whether the editor needs the width of a form, as texts of several lines do. */
  readonly isWide: boolean;
  /** Whether many objects can have the same value. */
  readonly isShared: boolean;
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
  /** Returns a value as inputs of the API have it as a text, where it isn't the same as that of `toText`. */
  readonly inputText?: (value: unknown, formats: Formats) => string;
  /** Returns a value of a selection that is edited as inputs of the API have it. */
  toInput(value: unknown): unknown;
  /**
   * Returns what is wrong with a value of an editor, null if only the service can say.
   *
   * An editor hands over what it can't read as the text that the member has typed, so that it is never lost.
   */
  problem(value: unknown, attribute: Attribute): string | null;
  /** Whether two values, neither of which is null, are the same one to the service. */
  isSame(one: unknown, other: unknown): boolean;
  /** How a value looks in tables and on pages, unless it is just its text. */
  readonly Cell?: ComponentType<CellProps>;
  /** The field of forms. It loads when a form is shown. `ValueEditor` shows it. */
  readonly Editor: ComponentType<EditorProps>;
  /** Loads the editor, before a form is shown. */
  load(): Promise<unknown>;
}

export interface CellProps {
  /** A value of a selection that is shown. */
  readonly value: unknown;
  readonly attribute: Attribute;
}

/** Returns a type of values from what sets it apart from most: one line, left-aligned, sorted, as it comes. */
export function defineValueType(
  type: Partial<ValueType> & Pick<ValueType, "operators" | "Editor" | "load">,
): ValueType {
  return {
    isNumeric: false,
    isSortable: true,
    isWide: false,
    isShared: true,
    shown: "",
    edited: "",
    toText: String,
    toInput: (value) => value,
    problem: () => null,
    isSame: Object.is,
    ...type,
  };
}

export const PRESENCE: readonly Operator[] = ["null", "not___null"];
export const EQUALITY: readonly Operator[] = ["eq", "ne"];
export const ORDER: readonly Operator[] = ["eq", "ne", "lt", "lte", "gt", "gte", "in", ...PRESENCE];
