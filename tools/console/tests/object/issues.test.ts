import { expect, test } from "vitest";
import { emptyDraft, withoutPart, withPart } from "../../src/object/draft";
import { areWarnings, currentOf, fieldKey, messagesOf, placeIssues } from "../../src/object/issues";
import type { Issue } from "../../src/service/errors";

function issue(known: Partial<Issue>): Issue {
  return { userMessage: "?", issueLevel: "ERROR", issueType: "DATA_TYPE", ...known };
}

const all = () => true;
const stored = emptyDraft("Address", { id: "a1" });
const added = emptyDraft("Address", { clientId: "new-a" });
const room = emptyDraft("Room", { clientId: "new-r" });
const draft = withPart(
  withPart(emptyDraft("Person", { id: "p1" }), "addresses", true, withPart(stored, "rooms", true, room)),
  "addresses",
  true,
  added,
);

test.each([
  [{ entityID: "p1", attributeNames: ["email", "born"] }, [".email", ".born"]],
  [{ entityID: "p1", roleNames: ["team"] }, [".team"]],
  [{ entityID: "a1", entityName: "Address", attributeNames: ["street"] }, ["addresses:a1.street"]],
  [{ _clientId: "new-a", entityName: "Address", attributeNames: ["city"] }, ["addresses:new-a.city"]],
  [{ _clientId: "new-r", attributeNames: ["name"] }, ["addresses:a1/rooms:new-r.name"]],
])("%j stands at its field", (known, expected) => {
  const placed = placeIssues([issue(known)], draft, all);
  expect([...placed.fields.keys()]).toEqual(expected);
  expect(placed.form).toEqual([]);
  expect(placed.objects.size).toBe(0);
});

test.each([
  { entityID: "p1" },
  { entityID: "somebody else", attributeNames: ["email"] },
  { _clientId: "unknown", attributeNames: ["email"] },
  { entityName: "Team", attributeNames: ["name"] },
  {},
])("%j stands above the form", (known) => {
  const placed = placeIssues([issue(known)], draft, all);
  expect(placed.form).toHaveLength(1);
  expect(placed.fields.size + placed.objects.size).toBe(0);
});

test("an issue of a part that names no field stands at the part", () => {
  const placed = placeIssues([issue({ _clientId: "new-a" })], draft, all);
  expect([...placed.objects.keys()]).toEqual(["addresses:new-a"]);
});

test("an issue of a field that the form doesn't show is not lost", () => {
  const placed = placeIssues([issue({ entityID: "p1", attributeNames: ["pin"] })], draft, () => false);
  expect(placed.form).toHaveLength(1);
});

test("an issue of a part that is removed stands above the form", () => {
  const without = withoutPart(draft, "addresses", stored);
  const placed = placeIssues([issue({ entityID: "a1", attributeNames: ["street"] })], without, all);
  expect(placed.form).toHaveLength(1);
});

test("messages at a field leave out its name", () => {
  const issues = [
    issue({ userMessage: "Person.email: the text is too long." }),
    issue({ userMessage: "Careful.", issueLevel: "WARNING" }),
  ];
  expect(messagesOf(issues, "ERROR")).toBe("The text is too long.");
  expect(messagesOf(issues, "WARNING")).toBe("Careful.");
  expect(messagesOf(undefined, "ERROR")).toBeUndefined();
  expect(fieldKey("", "email")).toBe(".email");
});

test("only warnings let a member go on", () => {
  const warning = issue({ issueLevel: "WARNING" });
  expect(areWarnings([warning, warning])).toBe(true);
  expect(areWarnings([warning, issue({})])).toBe(false);
  expect(areWarnings([])).toBe(false);
});

test("a refused write may have the object as it is now", () => {
  expect(currentOf([issue({}), issue({ current: { _id: "1" } })])).toEqual({ _id: "1" });
  expect(currentOf([issue({ current: null })])).toBeNull();
});
