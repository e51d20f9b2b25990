// String: a short text, perhaps one of a few that the model lists.

import { plural } from "../../messages/messages";
import { simpleEditors } from "../editors";
import { defineValueType, ORDER } from "../value_type";

/** The most characters of a String whose domain sets no limit. */
const MAX_LENGTH = 255;

export const stringType = defineValueType({
  operators: [...ORDER.filter((each) => each !== "in"), "in", "contains", "starts_with", "ends_with"],
  problem: (value, { domain }) => tooLong(String(value), Number(domain?.["maxLength"] ?? MAX_LENGTH)),
  ...simpleEditors("StringEditor"),
});

/** Returns what is wrong with a text of too many characters, null for others. */
export function tooLong(text: string, limit: number): string | null {
  // The service counts characters of Unicode, and JavaScript half of some.
  if (text.length <= limit || [...text].length <= limit) return null;
  return plural(limit, "Use at most {count} character.", "Use at most {count} characters.");
}
