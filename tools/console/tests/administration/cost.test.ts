import { expect, test } from "vitest";
import { adviceOf, costOf } from "../../src/administration/cost/cost";

const TOTALS = { roundTrips: 1, readUnits: 0.5, writeUnits: 0, items: 3, bytes: 900, milliseconds: 0.1 };
const plan = (attributeNames: readonly string[] | null) => ({
  path: ["Employee___getPage"],
  entityName: "Employee",
  description: "read all",
  missingIndex: attributeNames && { entityName: "Employee", attributeNames },
});

test("each missing index is advised once, as a directive of the model", () => {
  const cost = costOf({
    ...TOTALS,
    calls: [],
    plans: [plan(["team", "name"]), plan(null), plan(["team", "name"])],
  });
  expect(adviceOf(cost)).toEqual([
    { className: "Employee", directive: '@index(attributes: ["team", "name"])' },
  ]);
});

test("an answer without insight is an error, not a cost of nothing", () => {
  expect(() => costOf(null)).toThrow("no insight");
});
