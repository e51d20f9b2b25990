// Year: a year of the calendar, written without separators.

import { lazy } from "react";
import { defineValueType, ORDER } from "../value_type";
import { notWhole } from "./int";

const RANGE = { min: 0, max: 9999 };

export const yearType = defineValueType({
  isNumeric: true,
  operators: ORDER,
  problem: (value, { domain }) => notWhole(value, RANGE, domain, String),
  Editor: lazy(async () => ({ default: (await import("./simple_editors")).YearEditor })),
});
