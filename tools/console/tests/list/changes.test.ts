import { expect, test } from "vitest";
import { bulkFields, dataOf, isWrong } from "../../src/list/bulk/changes";
import { EVERYTHING, MEMBER } from "../documents/golden";

const SPECIMEN = EVERYTHING.model.of("Specimen");

function field(name: string) {
  const found = bulkFields(SPECIMEN).find((each) => each.name === name);
  if (!found) throw new Error(name);
  return found;
}

test("fields that many objects can share are offered, if the member may edit them", () => {
  const names = bulkFields(SPECIMEN).map(({ name }) => name);
  expect(names).toContain("price");
  expect(names).toContain("holder");
  // A file is for one object, derived values and lists aren't set.
  expect(names.filter((name) => ["picture", "total", "tags", "_id"].includes(name))).toEqual([]);
  for (const class_ of MEMBER.model.classes) {
    const hidden = class_.attributes.filter(({ editable }) => editable === "never").map(({ name }) => name);
    expect(bulkFields(class_).filter(({ name }) => hidden.includes(name))).toEqual([]);
  }
});

test("the changes fit the input of the API", () => {
  const changes = [
    { field: field("price"), value: "12.5" },
    { field: field("mood"), value: "BAD" },
    { field: field("shade"), value: null },
    { field: field("holder"), value: { id: "1", label: "Ada" } },
  ];
  const data = dataOf(changes);
  expect(data).toEqual({ price: "12.5", mood: "BAD", shade: null, holder: { set: "1" } });
  expect(dataOf([{ field: field("holder"), value: null }])).toEqual({ holder: { remove: true } });
  const input = EVERYTHING.schema.getType("SpecimenUpdateBulk");
  const known = input && "getFields" in input ? Object.keys(input.getFields()) : [];
  expect(known).toEqual(expect.arrayContaining(bulkFields(SPECIMEN).map(({ name }) => name)));
});

test.each([
  ["code", null, true],
  ["code", "none", false],
  ["shade", null, false],
  ["amount", "many", true],
  ["holder", null, false],
])("%s with %j is wrong: %j", (name, value, wrong) => {
  expect(isWrong({ field: field(name), value })).toBe(wrong);
});
