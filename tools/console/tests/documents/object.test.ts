import { describe, expect, test } from "vitest";
import { isToMany, type ModelClass, offers } from "../../src/description/model";
import { associablesDocument } from "../../src/documents/associables";
import {
  atSteps,
  isReadAlone,
  isShownRole,
  linksField,
  objectDocument,
  objectSelection,
  roleDocument,
} from "../../src/documents/object";
import {
  canPreview,
  canWrite,
  deleteDocument,
  previewDocument,
  validateDeleteDocument,
  validateDocument,
  writeDocument,
} from "../../src/documents/write";
import { EVERYTHING, expectValid, GOLDENS } from "./golden";

describe.each(GOLDENS)("$name", (golden) => {
  const { model } = golden;
  const classes = model.classes.filter(({ kind }) => kind !== "USERS");

  test.each(classes.filter(isReadAlone))("$name is read for editing and for showing", (class_) => {
    for (const mode of ["edited", "shown"] as const) expectValid(golden, objectDocument(model, class_, mode));
    if (class_.versioned) expectValid(golden, objectDocument(model, class_, "shown", true));
  });

  test.each(classes)("$name is written, validated and previewed as far as the member may", (class_) => {
    const selection = objectSelection(model, class_, "edited");
    for (const kind of ["create", "update"] as const) {
      if (canWrite(class_, kind)) expectValid(golden, writeDocument(class_, kind, selection));
      const validated = validateDocument(class_, kind);
      if (validated) expectValid(golden, validated);
      if (canPreview(class_, kind)) expectValid(golden, previewDocument(class_, kind, selection));
    }
    if (!offers(class_, "delete")) return;
    expectValid(golden, deleteDocument(class_));
    expectValid(golden, validateDeleteDocument(class_, "_id"));
  });

  const ways = classes.flatMap((class_) =>
    class_.roles
      .filter((role) => role.kind === "ASSOCIATION" && role.creatable !== "never" && isShownRole(model, role))
      .map((role) => ({ class_, role, name: `${class_.name}.${role.name}` })),
  );

  test.each(ways)("what $name may lead to is found", ({ class_, role }) => {
    const owners = [
      { class_, id: "1", roles: [] },
      { class_, id: null, roles: [] },
      ...wholesOf(class_).map(({ whole, role }) => ({ class_: whole, id: "1", roles: [role] })),
    ];
    for (const owner of owners) {
      const found = associablesDocument(model, owner, role, "ada lovelace");
      if (found) expectValid(golden, found.document);
    }
  });

  function wholesOf(part: ModelClass) {
    return classes.flatMap((whole) =>
      whole.roles
        .filter(({ kind, target }) => kind === "COMPOSITION" && target === part.name)
        .map((role) => ({ whole, role })),
    );
  }
});

test("the parts of a part are read on the way that leads there", () => {
  const { model } = EVERYTHING;
  const person = model.of("Person");
  const addresses = roleNamed(person, "addresses");
  const rooms = roleNamed(model.of("Address"), "rooms");
  const steps = [
    { role: addresses, id: 'a"1' },
    { role: rooms, id: "r1" },
  ];
  const windows = roleNamed(model.of("Room"), "windows");
  const document = roleDocument(
    person,
    steps,
    linksField(windows, model.of("Window"), { next: 10, cursor: "c" }),
  );
  expectValid(EVERYTHING, document);
  const found = { addresses: { items: [{ rooms: { items: [{ windows: { items: [{ _id: "w" }] } }] } }] } };
  expect(atSteps(found, steps)).toEqual({ windows: { items: [{ _id: "w" }] } });
  expect(atSteps({ addresses: { items: [] } }, steps)).toBeNull();
  const home = roleNamed(person, "home");
  expect(isToMany(home)).toBe(false);
  expectValid(EVERYTHING, roleDocument(person, [{ role: home, id: "h" }], "rooms { items { _id } }"));
});

function roleNamed(class_: ModelClass, name: string) {
  const found = class_.roles.find((role) => role.name === name);
  if (!found) throw new Error(name);
  return found;
}
