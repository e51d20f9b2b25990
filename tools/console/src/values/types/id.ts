// ID: the id of an object, which nobody writes by hand.

import { lazy } from "react";
import { defineValueType } from "../value_type";

export const idType = defineValueType({
  operators: ["eq", "ne", "in"],
  Editor: lazy(async () => ({ default: (await import("./simple_editors")).StringEditor })),
});
