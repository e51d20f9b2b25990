// Serial: a number that the service assigns.

import { simpleEditors } from "../editors";
import { defineValueType, ORDER } from "../value_type";

export const serialType = defineValueType({
  isNumeric: true,
  operators: ORDER,
  ...simpleEditors("ReadOnlyEditor"),
});
