import { coerceInputValue, type GraphQLInputType } from "graphql";
import { describe, expect, test } from "vitest";
import { offers } from "../../src/description/model";
import { groupsDocument, totalsDocument } from "../../src/documents/summary";
import { filterOf } from "../../src/list/filter/condition";
import { boundsOf, groupConditions } from "../../src/list/summary/group_conditions";
import { columnOf, type GroupKey, offeredKeys, offeredTotals } from "../../src/list/summary/summary";
import { havingInput, keyField } from "../../src/list/summary/summary_query";
import { keyTitle, keyValueText, totalTitle, totalValueText } from "../../src/list/summary/summary_texts";
import { expectValid, GOLDENS, MEMBER } from "../documents/golden";

const member = { timeZone: "Europe/Rome", dateFormat: "dd/MM/yyyy", timeFormat: "HH:mm" };
const employee = MEMBER.model.of("Employee");

describe.each(GOLDENS)("$name", (golden) => {
  const listed = golden.model.classes.filter((class_) => offers(class_, "getPage"));

  test.each(listed)("$name can be grouped by all that is offered", (class_) => {
    const keys = offeredKeys(class_).map((key) => keyField(key, class_));
    const totals = offeredTotals(class_);
    expectValid(golden, totalsDocument(class_, totals, class_.versioned));
    if (keys.length === 0) return;
    const orderBy = ["_keys", "_count", ...totals.map(columnOf)].map((each) => `${each}___DESC`).join(" ");
    expectValid(golden, groupsDocument(class_, { keys, totals, orderBy }, class_.versioned));
  });

  test.each(listed)("nothing that $name offers is forgotten", (class_) => {
    const type = golden.schema.getType(`${class_.name}___GroupKey`);
    const known = type && "getValues" in type ? type.getValues().map(({ name }) => name) : [];
    const names = offeredKeys(class_).map(({ field, period }) => (period ? `${field}___${period}` : field));
    expect(new Set(names)).toEqual(new Set(known));
  });
});

test("conditions on groups have the types of the API", () => {
  const type = MEMBER.schema.getType("Employee___GroupFilter") as GraphQLInputType;
  const none = { keys: [], totals: [], order: { column: "_keys", isDescending: false } };
  for (const column of ["_count", "project_count___SUM", "project_count___AVG", "email___COUNT_DISTINCT"]) {
    const having = havingInput({ ...none, having: { column, operator: "gte", value: "12" } });
    expect(coerceInputValue(having, type, (_path, _value, error) => expect.fail(error.message))).toBeTruthy();
  }
  expect(havingInput({ ...none, having: null })).toBeNull();
});

describe("periods", () => {
  test.each([
    ["2026", "YEAR", "2026-01-01", "2027-01-01"],
    ["2026-Q4", "QUARTER", "2026-10-01", "2027-01-01"],
    ["2024-02", "MONTH", "2024-02-01", "2024-03-01"],
    ["2026-W01", "WEEK", "2025-12-29", "2026-01-05"],
    ["2020-W53", "WEEK", "2020-12-28", "2021-01-04"],
    ["2026-03-31", "DAY", "2026-03-31", "2026-04-01"],
    ["2026-03-31T14", "HOUR", "2026-03-31T12:00:00.000Z", "2026-03-31T13:00:00.000Z"],
    ["2026-03-29T01", "HOUR", "2026-03-29T00:00:00.000Z", "2026-03-29T01:00:00.000Z"],
  ] as const)("%s has its bounds", (bucket, period, from, before) => {
    expect(boundsOf(bucket, period, "Europe/Rome")).toEqual([from, before]);
  });

  test("and texts", () => {
    const text = (value: string, period: GroupKey["period"]) =>
      keyValueText({ field: "hired_on", period }, value, employee, member);
    expect(text("2026-Q1", "QUARTER")).toBe("Quarter 1 of 2026");
    expect(text("2026-03", "MONTH")).toBe("March 2026");
    expect(text("2026-W05", "WEEK")).toBe("Week 5 of 2026");
    expect(text("2026-03-31", "DAY")).toBe("31/03/2026");
    expect(text("2026-03-31T04", "HOUR")).toBe("31/03/2026, 04:00");
    expect(text("2026-03-31", null)).toBe("31/03/2026");
  });
});

test("a group has the conditions of its keys", () => {
  const keys: GroupKey[] = [
    { field: "hired_on", period: "MONTH" },
    { field: "team", period: null },
    { field: "remote", period: null },
    { field: "phone", period: null },
  ];
  const values = {
    hired_on___MONTH: "2026-03",
    team: { _id: "06h0", _label: "Engines" },
    remote: false,
    phone: null,
  };
  const conditions = groupConditions(keys, values, employee, "UTC");
  expect(conditions.map((each) => filterOf(each, employee))).toEqual([
    { hired_on___gte: "2026-03-01" },
    { hired_on___lt: "2026-04-01" },
    { team: { _id___eq: "06h0" } },
    { remote___eq: false },
    { phone___null: true },
  ]);
  const nobody = groupConditions([{ field: "team", period: null }], { team: null }, employee, "UTC");
  expect(nobody.map((each) => filterOf(each, employee))).toEqual([{ team___null: true }]);
});

test("totals are exact, and averages are rounded to be read", () => {
  const text = (name: "sum" | "avg" | "max", value: unknown) =>
    totalValueText({ field: "badge", function: name }, value, employee);
  expect(text("sum", "12345678901234567890.5")).toBe("12,345,678,901,234,567,890.5");
  expect(text("avg", "4066.8333333333333333333333333333333333")).toBe("4,066.8333");
  expect(text("sum", null)).toBeNull();
  expect(keyTitle({ field: "_createdon", period: "WEEK" })).toBe("Created on (week)");
  expect(totalTitle({ field: "badge", function: "countDistinct" })).toBe("Badge (different values)");
});
