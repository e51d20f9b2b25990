// Serial: a number that the service assigns.

import { lazy } from "react";
import { defineValueType, ORDER } from "../value_type";

export const serialType = defineValueType({
  isNumeric: true,
  operators: ORDER,
  Editor: lazy(async () => ({ default: (await import("./simple_editors")).ReadOnlyEditor })),
});
