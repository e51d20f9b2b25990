// Boolean: yes or no, and neither where a value is not required.

import { t } from "../../messages/messages";
import { simpleEditors } from "../editors";
import { defineValueType, EQUALITY, PRESENCE } from "../value_type";
import { BooleanCell } from "./boolean_cell";

export const booleanType = defineValueType({
  operators: [...EQUALITY, ...PRESENCE],
  toText: (value) => (value ? t("Yes") : t("No")),
  Cell: BooleanCell,
  ...simpleEditors("BooleanEditor"),
});
