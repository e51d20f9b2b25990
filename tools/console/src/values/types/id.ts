// ID: the id of an object, which nobody writes by hand.

import { simpleEditors } from "../editors";
import { defineValueType } from "../value_type";

export const idType = defineValueType({
  operators: ["eq", "ne", "in"],
  ...simpleEditors("StringEditor"),
});
