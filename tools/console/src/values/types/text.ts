// Text: a text of any length, in several lines.

import { simpleEditors } from "../editors";
import { defineValueType } from "../value_type";
import { stringType, tooLong } from "./string";

export const textType = defineValueType({
  isWide: true,
  operators: stringType.operators,
  problem: (value, { domain }) => tooLong(String(value), Number(domain?.["maxLength"] ?? Infinity)),
  ...simpleEditors("TextEditor"),
});
