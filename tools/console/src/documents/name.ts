// What people know an object by: its label, or another text where the label is empty.

import type { ModelClass } from "../description/model";

/** Returns the fields from which `nameOf` takes the name of an object. */
export function nameFields(class_: ModelClass): readonly string[] {
  const label = class_.label === "never" ? [] : ["_label"];
  const isFilled = ({ required, derived, readable }: (typeof class_.attributes)[number]) =>
    (required || derived) && readable === "always";
  const made = class_.attributes.filter(({ name }) => class_.labelOf.includes(name));
  // A label of attributes that are always there is always there.
  if (made.length > 0 && made.every(isFilled) && class_.labelOf.length === made.length) return label;
  const other = class_.attributes.find(
    (each) =>
      each.type === "String" && !each.values && !each.derived && isFilled(each) && !made.includes(each),
  );
  return other ? [...label, other.name] : label;
}

/** Returns the name in an object with `nameFields`, or null if it has none. */
export function nameOf(object: Readonly<Record<string, unknown>>): string | null {
  const { _label, ...others } = object;
  if (typeof _label === "string" && _label) return _label;
  const found = Object.entries(others).find(
    ([field, value]) => !field.startsWith("_") && typeof value === "string" && value,
  );
  return found ? String(found[1]) : null;
}

/** Returns the name of an object of which more than its `nameFields` is known. */
export function nameIn(class_: ModelClass, object: Readonly<Record<string, unknown>>): string | null {
  return nameOf(Object.fromEntries(nameFields(class_).map((field) => [field, object[field]])));
}
