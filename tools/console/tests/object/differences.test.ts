import { expect, test } from "vitest";
import { differencesOf } from "../../src/object/differences";
import { EVERYTHING } from "../documents/golden";

const { model } = EVERYTHING;
const person = model.of("Person");

const BEFORE = {
  _id: "p1",
  _label: "Ada",
  _revision: "r1",
  last_name: "Ada",
  label: "Ada (a@x.org)",
  salary: "3",
  wage: "1",
  team: { _id: "t1", _label: "One" },
  mentor: null,
  contract: { _id: "c1", _label: "C", starts_on: "01/01/2020", days: null },
  addresses: {
    items: [
      { _id: "a1", _label: "First", street: "First" },
      { _id: "a2", _label: "Second", street: "Second" },
    ],
    hasNext: false,
  },
};

test("what stays isn't named", () => {
  expect(differencesOf(model, person, BEFORE, { ...BEFORE, _revision: "r2" })).toEqual([]);
});

test("derived values, roles and parts are named with what they would be", () => {
  const after = {
    ...BEFORE,
    salary: "6",
    wage: "2",
    team: { _id: "t2", _label: "Two" },
    contract: { ...BEFORE.contract, days: 3 },
    addresses: {
      items: [
        { _id: "a2", _label: "Second", street: "2nd" },
        { _id: null, _label: "Third", street: "Third" },
      ],
    },
  };
  const [own, ...parts] = differencesOf(model, person, BEFORE, after);
  expect(own).toMatchObject({ roles: [], change: "CHANGED", label: "Ada" });
  expect(own?.differences.map(({ name, before, after }) => [name, before, after])).toEqual([
    ["salary", "3", "6"],
    ["wage", "1", "2"],
    ["team", "One", "Two"],
  ]);
  const named = parts.map(({ roles, change, label, differences }) => [
    roles.join("."),
    change,
    label,
    differences.map(({ name, after }) => [name, after]),
  ]);
  expect(named).toEqual([
    ["contract", "CHANGED", "C", [["days", 3]]],
    ["addresses", "CHANGED", "Second", [["street", "2nd"]]],
    ["addresses", "ADDED", "Third", [["street", "Third"]]],
    ["addresses", "REMOVED", "First", []],
  ]);
});

test("all values of a new object are new", () => {
  const found = differencesOf(model, person, null, { _id: null, last_name: "Li", salary: null });
  expect(found).toEqual([
    {
      roles: [],
      label: null,
      change: "ADDED",
      differences: [expect.objectContaining({ name: "last_name", before: null, after: "Li" })],
    },
  ]);
});

test("a part that is replaced is one that goes and one that comes", () => {
  const after = { ...BEFORE, contract: { _id: null, _label: null, starts_on: "02/02/2022" } };
  const changes = differencesOf(model, person, BEFORE, after).map(({ change, roles }) => [change, ...roles]);
  expect(changes).toEqual([
    ["ADDED", "contract"],
    ["REMOVED", "contract"],
  ]);
});
