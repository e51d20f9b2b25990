// Boolean: yes or no, and neither where a value is not required.

import { lazy } from "react";
import { t } from "../../messages/messages";
import { defineValueType, EQUALITY, PRESENCE } from "../value_type";
import { BooleanCell } from "./boolean_cell";

export const booleanType = defineValueType({
  operators: [...EQUALITY, ...PRESENCE],
  toText: (value) => (value ? t("Yes") : t("No")),
  Cell: BooleanCell,
  Editor: lazy(async () => ({ default: (await import("./simple_editors")).BooleanEditor })),
});
