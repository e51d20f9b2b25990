import { parseValue } from "graphql";
import { describe, expect, test } from "vitest";
import { editedField, quote, roleField, shownField } from "../../src/documents/selection";
import { isShown } from "../../src/values/registry";
import { EVERYTHING, expectSelectable, GOLDENS } from "./golden";

describe.each(GOLDENS)("$name", (golden) => {
  // A class that no service reaches has no type.
  const reached = golden.model.classes.filter(({ name }) => golden.schema.getType(name));
  const readable = reached.filter((class_) => class_.attributes.some(isShown));

  test.each(readable)("all attributes and roles of $name can be selected", (class_) => {
    const attributes = class_.attributes.filter(isShown);
    const roles = class_.roles.filter((role) => role.readable !== "never");
    for (const field of [shownField, editedField]) {
      const selection = [...attributes.map(field), ...roles.map(roleField)].join(" ");
      expectSelectable(golden, class_.name, selection);
    }
  });
});

test("each type has its field", () => {
  const person = EVERYTHING.model.of("Person");
  const field = (name: string) => {
    const found = person.attributes.find((attribute) => attribute.name === name);
    if (!found) throw new Error(name);
    return [shownField(found), editedField(found)];
  };
  expect(field("born")).toEqual(["born", 'born(format: "iso")']);
  expect(field("salary")).toEqual(["salary", 'salary(format: "iso")']);
  expect(field("photo")).toEqual([
    "photo { name mimeType size link }",
    "photo { fileId name mimeType size link }",
  ]);
  expect(field("mood")).toEqual(["mood", "mood"]);
});

test.each(["", "plain", 'with "quotes" and \\', "two\nlines\tand \u0000 \u2028", "emoji 👩‍💻 שלום"])(
  "%j is the same as a literal",
  (text) => {
    expect(parseValue(quote(text))).toMatchObject({ kind: "StringValue", value: text });
  },
);
