// Enums: one of the values that the model lists.

import type { Attribute } from "../../description/model";
import { titleOf } from "../../description/sidebar";
import { simpleEditors } from "../editors";
import { defineValueType, EQUALITY, PRESENCE } from "../value_type";

/** Returns a value of an enum as people write it: `ON_LEAVE` becomes "On leave". */
export function titleOfValue(name: string): string {
  return titleOf(/[a-z]/.test(name) ? name : name.toLowerCase());
}

/** Returns the name of a value in full, with its description in the model. */
export function describedValue(name: string, { values = [] }: Attribute): string {
  const description = values.find((value) => value.name === name)?.description;
  return description ? `${titleOfValue(name)} – ${description}` : titleOfValue(name);
}

export const enumType = defineValueType({
  operators: [...EQUALITY, "in", ...PRESENCE],
  toText: (value) => titleOfValue(String(value)),
  ...simpleEditors("EnumEditor"),
});
