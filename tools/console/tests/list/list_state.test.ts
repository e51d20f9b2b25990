import { coerceInputValue, type GraphQLInputType } from "graphql";
import { describe, expect, test } from "vitest";
import type { Condition } from "../../src/list/filter/condition";
import {
  EVERYTHING as ALL,
  filterInput,
  type ListState,
  optionsOf,
  pageOptions,
  readState,
  sortedBy,
  writeState,
} from "../../src/list/list_state";
import { MEMBER } from "../documents/golden";

const employee = MEMBER.model.of("Employee");
const read = (query: string) => readState(query, employee, MEMBER.model);

/** Checks options against the input type of the service. */
function expectOptions(options: Record<string, unknown>): void {
  const type = MEMBER.schema.getType("EmployeePageOptions") as GraphQLInputType;
  coerceInputValue(options, type, (path, _value, error) => {
    throw new Error(`${path.join(".")}: ${error.message}`);
  });
}

const CONDITIONS: readonly Condition[] = [
  { field: "hired_on", operator: "gt", value: "2024-03-01" },
  { field: "last_name", operator: "contains", value: "a.b & c=d, “é”" },
  { field: "last_name", operator: "in", value: ["Rossi", "O'Hara, Jr."], isNegated: true },
  { field: "badge", operator: "lte", value: 12 },
  { field: "remote", operator: "eq", value: false },
  { field: "phone", operator: "null" },
  { field: "team", operator: "is", inner: { field: "_id", operator: "eq", value: "06h0" } },
  { field: "team", operator: "null", isNegated: true },
  { field: "reports", operator: "some", inner: { field: "last_name", operator: "eq", value: "Rossi" } },
  { field: "reports", operator: "none" },
];

describe("the query of an address", () => {
  test.each(CONDITIONS)("keeps the condition %j", (condition) => {
    expect(read(writeState({ ...ALL, conditions: [condition] })).conditions).toEqual([condition]);
  });

  test("keeps everything else", () => {
    const state: ListState = {
      search: "ada & co",
      conditions: CONDITIONS,
      expression: "year(hired_on) < 2000 && remote",
      order: [
        { attribute: "hired_on", isDescending: true },
        { attribute: "last_name", isDescending: false },
      ],
      place: { kind: "after", cursor: "AZSh+/=" },
      summary: {
        keys: [
          { field: "hired_on", period: "MONTH" },
          { field: "team", period: null },
        ],
        totals: [{ field: "badge", function: "max" }],
        order: { column: "badge___MAX", isDescending: true },
        having: { column: "_count", operator: "gte", value: "2" },
      },
    };
    expect(read(writeState(state))).toEqual(state);
    expect(read(writeState({ ...state, place: { kind: "last" } })).place).toEqual({ kind: "last" });
  });

  test("is empty if everything is shown", () => {
    expect(writeState(ALL)).toBe("");
    expect(read("")).toEqual(ALL);
  });

  test.each([
    "filter=nothing.eq.1",
    "filter=last_name",
    "filter=last_name.in.Rossi",
    "filter=team.some",
    "filter=team.is.nothing.eq.1",
    "filter=team.is.members.some",
    "filter=salary.gt.100",
    "sort=nothing",
    "sort=-salary",
  ])("may be wrong, or name what the member can't read: %s", (query) => {
    expect(read(query)).toEqual(ALL);
  });
});

describe("the options of the API", () => {
  test("are valid for each condition", () => {
    for (const condition of CONDITIONS) {
      const state = { ...ALL, conditions: [condition] };
      expectOptions(pageOptions(state, employee, 50));
    }
    expectOptions(pageOptions({ ...ALL, conditions: CONDITIONS, search: "ada" }, employee, 50));
  });

  test("join conditions, and negate some", () => {
    const [hired, , names] = CONDITIONS;
    if (!hired || !names) throw new Error();
    expect(filterInput({ ...ALL, conditions: [hired] }, employee)).toEqual({ hired_on___gt: "2024-03-01" });
    expect(filterInput({ ...ALL, conditions: [hired, names] }, employee)).toEqual({
      AND: [{ hired_on___gt: "2024-03-01" }, { NOT: { last_name___in: ["Rossi", "O'Hara, Jr."] } }],
    });
    expect(filterInput(ALL, employee)).toBeNull();
  });

  test("test roles", () => {
    const filter = (condition: Condition) => filterInput({ ...ALL, conditions: [condition] }, employee);
    expect(filter({ field: "team", operator: "is" })).toEqual({ team: {} });
    expect(filter({ field: "team", operator: "null" })).toEqual({ team___null: true });
    expect(
      filter({ field: "team", operator: "is", inner: { field: "_id", operator: "eq", value: "1" } }),
    ).toEqual({ team: { _id___eq: "1" } });
    expect(filter({ field: "reports", operator: "none" })).toEqual({ reports___none: {} });
  });

  test("say where the page is", () => {
    expect(pageOptions(ALL, employee, 50)).toEqual({ next: 50 });
    expect(pageOptions({ ...ALL, place: { kind: "last" } }, employee, 50)).toEqual({ prev: 50 });
    expect(pageOptions({ ...ALL, place: { kind: "before", cursor: "c" } }, employee, 25)).toEqual({
      prev: 25,
      cursor: "c",
    });
    expect(
      pageOptions({ ...ALL, order: [{ attribute: "badge", isDescending: true }] }, employee, 25),
    ).toEqual({ next: 25, orderBy: ["badge___DESC"] });
  });

  test("search each word, whatever its case", () => {
    const { filter_exp } = optionsOf({ ...ALL, search: ' Ada  "x" ' }, employee);
    expect(filter_exp).toContain('lower(first_name).contains("ada")');
    expect(filter_exp).toContain('lower(last_name).contains("\\"x\\"")');
    const both = optionsOf({ ...ALL, search: "a", expression: "remote || badge > 3" }, employee);
    expect(both["filter_exp"]).toMatch(/^\(remote \|\| badge > 3\) && \(lower/);
  });
});

test("a header sorts ascending, descending, and not at all", () => {
  const once = sortedBy([], "badge");
  expect(once).toEqual([{ attribute: "badge", isDescending: false }]);
  const twice = sortedBy(once, "badge");
  expect(twice).toEqual([{ attribute: "badge", isDescending: true }]);
  expect(sortedBy(twice, "badge")).toEqual([]);
  expect(sortedBy(twice, "email")).toEqual([{ attribute: "email", isDescending: false }]);
  expect(sortedBy(twice, "email", true)).toHaveLength(2);
  expect(sortedBy(sortedBy(twice, "email", true), "badge", true)).toEqual([
    { attribute: "email", isDescending: false },
  ]);
});
