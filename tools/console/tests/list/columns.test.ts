import { describe, expect, test } from "vitest";
import { offers } from "../../src/description/model";
import { countDocument, listDocument } from "../../src/documents/list";
import { allColumns, type Column, columnsOf, defaultColumns } from "../../src/list/columns";
import { expectValid, GOLDENS, MEMBER } from "../documents/golden";

const names = (columns: readonly Column[]) => columns.map(({ name }) => name);
const selection = (columns: readonly Column[]) => ({
  attributes: columns.filter((each) => each.kind === "attribute").map(({ attribute }) => attribute),
  roles: columns.filter((each) => each.kind === "role").map(({ role }) => role),
});

describe.each(GOLDENS)("$name", (golden) => {
  const listed = golden.model.classes.filter((class_) => offers(class_, "getPage"));

  test.each(listed)("lists of $name are valid documents", (class_) => {
    for (const columns of [allColumns(class_, golden.model), defaultColumns(class_, golden.model), []]) {
      expectValid(golden, listDocument(class_, selection(columns), false));
      if (class_.versioned) expectValid(golden, listDocument(class_, selection(columns), true));
    }
    expectValid(golden, countDocument(class_, class_.versioned));
  });
});

describe("the columns of a class", () => {
  const employee = MEMBER.model.of("Employee");

  test("begin with what is short, and repeat no label", () => {
    const shown = names(defaultColumns(employee, MEMBER.model));
    expect(shown).toEqual(["email", "phone", "codice_fiscale", "date_of_birth", "hired_on", "team", "leads"]);
  });

  test("show parts their whole", () => {
    const task = GOLDENS.flatMap(({ model }) => model.find("Task") ?? [])[0];
    if (!task) return;
    expect(names(defaultColumns(task, MEMBER.model))[0]).toBe("project");
  });

  test("have nothing that the member may not read", () => {
    expect(names(allColumns(employee, MEMBER.model))).not.toContain("salary");
    expect(
      columnsOf(["hired_on", "salary", "nothing", "team"], employee, MEMBER.model).map((c) => c.name),
    ).toEqual(["hired_on", "team"]);
  });
});
