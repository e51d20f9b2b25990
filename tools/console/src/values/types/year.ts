// Year: a year of the calendar, written without separators.

import { lazy } from "react";
import { defineValueType, ORDER } from "../value_type";
import { notWhole } from "./int";

const MAX = 9999;

export const yearType = defineValueType({
  isNumeric: true,
  operators: ORDER,
  problem: (value) => notWhole(value, 0, MAX, String),
  Editor: lazy(async () => ({ default: (await import("./simple_editors")).YearEditor })),
});
