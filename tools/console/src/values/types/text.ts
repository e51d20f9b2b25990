// Text: a text of any length, in several lines.

import { lazy } from "react";
import { defineValueType } from "../value_type";
import { stringType, tooLong } from "./string";

export const textType = defineValueType({
  isWide: true,
  operators: stringType.operators,
  problem: (value, { domain }) => tooLong(String(value), Number(domain?.["maxLength"] ?? Infinity)),
  Editor: lazy(async () => ({ default: (await import("./simple_editors")).TextEditor })),
});
