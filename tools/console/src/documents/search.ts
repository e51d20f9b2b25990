// The search of a list: words, looked for in what objects are known by.

import type { Attribute, ModelClass } from "../description/model";

/** More attributes than this make a search slow, and its result hard to explain. */
const SEARCHED = 5;

/** Returns the attributes that a search looks into: short texts that the member may always read, labels first. */
export function searchedAttributes(class_: ModelClass): readonly Attribute[] {
  const texts = class_.attributes.filter(
    ({ name, type, readable, derived }) =>
      type === "String" && readable === "always" && !derived && !class_.platformAttributes.includes(name),
  );
  const isInLabel = ({ name }: Attribute) => class_.labelOf.includes(name);
  return [...texts.filter(isInLabel), ...texts.filter((each) => !isInLabel(each))].slice(0, SEARCHED);
}

/**
 * Returns the expression of a search: each word must be in one of the attributes, whatever its case.
 *
 * Filters of the API mind the case, unless the model folds the attribute. Null if there is nothing to look for.
 */
export function searchExpression(search: string, class_: ModelClass): string | null {
  const attributes = searchedAttributes(class_);
  const words = search.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0 || attributes.length === 0) return null;
  return words.map((word) => `(${attributes.map((each) => contains(each, word)).join(" || ")})`).join(" && ");
}

function contains({ name, compare }: Attribute, word: string): string {
  if (compare) return `${name}.contains(${JSON.stringify(word)})`;
  return `lower(${name}).contains(${JSON.stringify(word.toLowerCase())})`;
}
