// The types of attributes, one row each. Whatever depends on a type asks its row, and compares no names.

import type { Attribute } from "../description/model";
import { booleanType } from "./types/boolean";
import { enumType } from "./types/enumeration";
import { fileType } from "./types/file";
import { idType } from "./types/id";
import { intType } from "./types/int";
import { realType } from "./types/real";
import { serialType } from "./types/serial";
import { stringType } from "./types/string";
import { dateType, datetimeType, timeType } from "./types/temporal";
import { textType } from "./types/text";
import { yearType } from "./types/year";
import type { ValueType } from "./value_type";

const TYPES: Readonly<Record<string, ValueType>> = {
  ID: idType,
  String: stringType,
  Text: textType,
  Int: intType,
  Real: realType,
  Boolean: booleanType,
  Date: dateType,
  Time: timeType,
  Datetime: datetimeType,
  Year: yearType,
  Serial: serialType,
  File: fileType,
};

/** Returns what the console knows about the type of an attribute. A type of a newer service counts as a text. */
export function valueTypeOf(attribute: Attribute): ValueType {
  return attribute.values ? enumType : (TYPES[attribute.type] ?? stringType);
}

/** Whether the member may see an attribute, of all objects or of some. */
export function isShown(attribute: Attribute): boolean {
  return attribute.readable !== "never";
}

/** Whether two values of an attribute are the same to the service. Null is only the same as null. */
export function isSameValue(attribute: Attribute, one: unknown, other: unknown): boolean {
  const hasOne = one !== null && one !== undefined;
  const hasOther = other !== null && other !== undefined;
  return hasOne && hasOther ? valueTypeOf(attribute).isSame(one, other) : hasOne === hasOther;
}

/** Returns what is obviously wrong with a value of an attribute, null if only the service can say. */
export function problemOf(attribute: Attribute, value: unknown): string | null {
  return value === null || value === undefined ? null : valueTypeOf(attribute).problem(value, attribute);
}

/** Loads the editors of attributes. If that fails, the fields say so when they are shown. */
export async function loadEditors(attributes: readonly Attribute[]): Promise<void> {
  const loads = new Set(attributes.map((each) => valueTypeOf(each).load));
  await Promise.allSettled([...loads].map((load) => load()));
}
