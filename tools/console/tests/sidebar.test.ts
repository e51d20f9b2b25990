import { expect, test } from "vitest";
import { sidebarGroups, titleOf } from "../src/description/sidebar";
import { class_, modelOf } from "./models";

test.each([
  ["hired_on", "Hired on"],
  ["hiredOn", "Hired on"],
  ["PurchaseOrder", "Purchase order"],
  ["VATNumber", "VAT number"],
  ["name", "Name"],
])("%s is shown as %s", (name, title) => {
  expect(titleOf(name)).toBe(title);
});

const listed = (name: string, more = {}) => class_(name, [], { services: [`${name}___getPage`], ...more });

function shown(search: string, ...classes: readonly ReturnType<typeof listed>[]): readonly string[] {
  return sidebarGroups(modelOf(...classes), search).map(
    ({ name, classes: found }) =>
      `${name}: ${found.map((each) => "-".repeat(each.depth) + each.class_.name).join(" ")}`,
  );
}

test("parts stand below their wholes, in their groups", () => {
  const classes = [
    listed("Task", { partOf: ["Project"], group: "Elsewhere" }),
    listed("Project", { group: "Work" }),
    listed("Step", { partOf: ["Task"] }),
    listed("Team"),
  ];
  expect(shown("", ...classes)).toEqual(["Work: Project -Task --Step", ": Team"]);
  expect(shown("t", ...classes)).toEqual(["Work: Project Task Step", ": Team"]);
  expect(shown("sk", ...classes)).toEqual(["Work: Task"]);
  expect(shown("nothing", ...classes)).toEqual([]);
});

test("parts of themselves and of one another are shown, and searched, once", () => {
  const classes = [
    listed("Folder", { partOf: ["Folder"] }),
    listed("Hen", { partOf: ["Egg"] }),
    listed("Egg", { partOf: ["Hen"] }),
  ];
  expect(shown("", ...classes)).toEqual([": Folder Hen -Egg"]);
  expect(shown("egg", ...classes)).toEqual([": Egg"]);
});

test("a part of a class that isn't listed stands by itself, and forms aren't listed", () => {
  expect(
    shown(
      "",
      listed("Line", { partOf: ["Order"] }),
      class_("Order", []),
      listed("Request", { kind: "FORM" }),
    ),
  ).toEqual([": Line"]);
});
