// Year: a year of the calendar, written without separators.

import { simpleEditors } from "../editors";
import { defineValueType, ORDER } from "../value_type";
import { notWhole } from "./int";

const RANGE = { min: 0, max: 9999 };

export const yearType = defineValueType({
  isNumeric: true,
  operators: ORDER,
  problem: (value, { domain }) => notWhole(value, RANGE, domain, String),
  ...simpleEditors("YearEditor"),
});
