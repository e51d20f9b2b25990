import { readFileSync } from "node:fs";
import { buildSchema, parse, validate } from "graphql";
import { expect, test } from "vitest";
import { withInsight } from "../../src/administration/cost/with_insight";

const schema = buildSchema(readFileSync("../../tests/core/schema/golden/hr.graphql", "utf8"));

test.each([
  [
    "a service with arguments",
    `query($options: EmployeePageOptions) { Employee___getPage(options: $options) { items { _id } } }`,
    1,
  ],
  ["a service without arguments", `{ Employee___getPage { items { _id team { _id } } } }`, 1],
  [
    "several services, with aliases",
    `query List { all: Team___getPage{totalCount} one : Team___get ( _id: "1" ) { name } }`,
    2,
  ],
  [
    "objects as defaults, and strings and comments with braces",
    `query($o: TeamPageOptions = {next: 3}) { # { Team___get }
      Team___getPage(options: $o) { items { name } } employee: Employee___getByEmail(email: "}{(") { _id } }`,
    2,
  ],
])("%s asks for its cost", (_, document, services) => {
  const asking = withInsight(document);
  expect(validate(schema, parse(asking))).toEqual([]);
  expect(asking.split("insight: FULL").length - 1).toBe(services);
});

test("fields below a service stay as they are", () => {
  const document = `query($o: EmployeePageOptions) {
    Employee___getPage(options: $o) { items { _id } groups(by: [team]) { items { _count } } }
  }`;
  const asking = withInsight(document);
  expect(asking).toBe(document.replace("getPage(", "getPage(insight: FULL, "));
  expect(validate(schema, parse(asking))).toEqual([]);
});
