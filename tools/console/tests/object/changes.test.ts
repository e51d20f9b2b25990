import { coerceInputValue, type GraphQLInputType } from "graphql";
import { describe, expect, test } from "vitest";
import { changesOf, createInput, isChanged, updateInput } from "../../src/object/changes";
import {
  changeAt,
  type Draft,
  draftAt,
  emptyDraft,
  partPath,
  ROOT,
  withLink,
  withoutLink,
  withoutPart,
  withPart,
  withReference,
  withValue,
} from "../../src/object/draft";
import { copyOf, draftOf, newDraft } from "../../src/object/reading";
import { EVERYTHING } from "../documents/golden";

const { model, schema } = EVERYTHING;

const STORED = {
  _id: "p1",
  _label: "Ada",
  _revision: "r1",
  last_name: "Lovelace",
  email: "ada@example.com",
  height: 170,
  born: "1815-12-10",
  mood: "GOOD",
  number: "7",
  photo: { fileId: "f", name: "a.png", mimeType: "image/png", size: 1, link: "l" },
  team: { _id: "t1", _label: "Analysts" },
  desk: { _id: "d1", _label: null },
  mentor: null,
  contract: { _id: "c1", _revision: "r2", reference: "C-1", starts_on: "2020-01-01", ends_on: null },
  home: null,
  addresses: {
    items: [
      { _id: "a1", _revision: "r3", street: "One", keeper: null },
      { _id: "a2", _revision: "r4", street: "Two", keeper: { _id: "p2", _label: "Bob" } },
    ],
    hasNext: false,
  },
  skills: { items: [{ _id: "s1", _label: "Sums" }], hasNext: false },
};
const ORIGINAL = draftOf(model, model.of("Person"), STORED);

/** Checks that the API takes an input, and returns it as JSON has it. */
function input(type: string, value: unknown): unknown {
  const errors: string[] = [];
  const inputType = schema.getType(type) as GraphQLInputType;
  coerceInputValue(value, inputType, (path, _value, error) =>
    errors.push(`${path.join(".")}: ${error.message}`),
  );
  expect(errors).toEqual([]);
  return JSON.parse(JSON.stringify(value));
}

function part(draft: Draft, role: string, index: number): Draft {
  const found = draft.parts[role]?.drafts[index];
  if (!found) throw new Error(`${role} ${index}`);
  return found;
}

describe("an update", () => {
  const update = (draft: Draft) => input("PersonUpdate", updateInput(draft, ORIGINAL));

  test("of nothing sends nothing", () => {
    expect(isChanged(ORIGINAL, ORIGINAL)).toBe(false);
    expect(updateInput(ORIGINAL, ORIGINAL)).toEqual({ _id: "p1" });
  });

  test("sends the values that differ, and null for those that are cleared", () => {
    let draft = withValue(ORIGINAL, "last_name", "King");
    draft = withValue(draft, "height", null);
    draft = withValue(draft, "about", "Countess");
    draft = withValue(withValue(draft, "email", "x"), "email", "ada@example.com");
    expect(update(draft)).toEqual({ _id: "p1", last_name: "King", height: null, about: "Countess" });
    expect(changesOf(draft, ORIGINAL)).toEqual({ attributes: ["last_name", "height", "about"], roles: [] });
  });

  test("sets and removes what associations to one object lead to", () => {
    let draft = withReference(ORIGINAL, "team", { id: "t2", label: "Others" });
    draft = withReference(draft, "desk", null);
    draft = withReference(draft, "mentor", null);
    expect(update(draft)).toEqual({ _id: "p1", team: { set: "t2" }, desk: { remove: true } });
  });

  test("adds and removes what associations to many objects lead to", () => {
    const sums = { id: "s1", label: "Sums" };
    let draft = withLink(ORIGINAL, "skills", { id: "s2", label: "Loops" });
    draft = withLink(draft, "skills", { id: "s3", label: "Tea" });
    draft = withoutLink(draft, "skills", { id: "s3", label: "Tea" });
    draft = withoutLink(draft, "skills", sums);
    draft = withoutLink(draft, "projects", { id: "x", label: "X" });
    expect(update(draft)).toEqual({
      _id: "p1",
      skills: { add: ["s2"], remove: ["s1"] },
      projects: { remove: ["x"] },
    });
    // What is put back has not changed.
    expect(isChanged(withLink(withoutLink(ORIGINAL, "skills", sums), "skills", sums), ORIGINAL)).toBe(false);
  });

  test("creates, changes and deletes parts, each change with the revision that was read", () => {
    let draft = ORIGINAL;
    const created = emptyDraft("Address", { values: { street: "Three" } });
    draft = withPart(draft, "addresses", true, created);
    draft = withoutPart(draft, "addresses", part(draft, "addresses", 0));
    const path = partPath(ROOT, "addresses", part(draft, "addresses", 1));
    draft = changeAt(draft, path, (address) =>
      withReference(withValue(address, "street", "2"), "keeper", null),
    );
    draft = changeAt(draft, path, (address) =>
      withPart(address, "rooms", true, emptyDraft("Room", { clientId: "room", values: { name: "Hall" } })),
    );
    expect(update(draft)).toEqual({
      _id: "p1",
      addresses: {
        create: [{ _clientId: created.clientId, street: "Three" }],
        update: [
          {
            _id: "a2",
            _ifRevision: "r4",
            street: "2",
            keeper: { remove: true },
            rooms: { create: [{ _clientId: "room", name: "Hall" }] },
          },
        ],
        delete: ["a1"],
      },
    });
  });

  test("replaces the only part of a role", () => {
    let draft = withoutPart(ORIGINAL, "contract", part(ORIGINAL, "contract", 0));
    expect(update(draft)).toEqual({ _id: "p1", contract: { delete: true } });
    const values = { starts_on: "2026-01-01" };
    draft = withPart(draft, "contract", false, emptyDraft("Contract", { clientId: "k", values }));
    expect(update(draft)).toEqual({
      _id: "p1",
      contract: { delete: true, create: { _clientId: "k", starts_on: "2026-01-01" } },
    });
    draft = changeAt(ORIGINAL, "contract:c1", (contract) => withValue(contract, "reference", null));
    expect(update(draft)).toEqual({
      _id: "p1",
      contract: { update: { _id: "c1", _ifRevision: "r2", reference: null } },
    });
  });

  test("forgets a new part that is removed again", () => {
    let draft = withPart(ORIGINAL, "addresses", true, emptyDraft("Address", { values: { street: "x" } }));
    draft = withoutPart(draft, "addresses", part(draft, "addresses", 2));
    expect(isChanged(draft, ORIGINAL)).toBe(false);
  });

  test("of a singleton names no object", () => {
    const house = draftOf(model, model.of("House"), { _id: "1", _revision: "0", name: "Old" });
    expect(input("HouseUpdate", updateInput(withValue(house, "name", "New"), house))).toEqual({
      name: "New",
    });
  });
});

test("a new object is created with its parts, links and defaults", () => {
  let draft = newDraft(model.of("Person"));
  draft = withValue(withValue(draft, "last_name", "Hopper"), "about", null);
  draft = withReference(draft, "team", { id: "t1", label: null });
  draft = withLink(draft, "skills", { id: "s1", label: null });
  draft = withPart(draft, "phones", true, emptyDraft("Phone", { clientId: "ph", values: { digits: "1" } }));
  const contract = emptyDraft("Contract", { clientId: "k", values: { starts_on: "2026-01-01" } });
  draft = withPart(draft, "contract", false, contract);
  expect(input("PersonCreate", createInput(draft))).toEqual({
    _clientId: draft.clientId,
    last_name: "Hopper",
    team: "t1",
    skills: ["s1"],
    phones: [{ _clientId: "ph", digits: "1" }],
    contract: { _clientId: "k", starts_on: "2026-01-01" },
  });
});

test("a copy leaves out what can't be the same twice", () => {
  const person = model.of("Person");
  const copy = copyOf(model, person, withoutPart(ORIGINAL, "addresses", part(ORIGINAL, "addresses", 0)));
  const { _clientId, contract, addresses, ...rest } = createInput(copy) as Record<string, object>;
  // Not the email, which is unique, the photo, the number that the service gives, and the desk of one owner.
  expect(rest).toEqual({ last_name: "Lovelace", height: 170, born: "1815-12-10", mood: "GOOD", team: "t1" });
  expect(contract).toEqual({ _clientId: expect.stringMatching(/^new-/), starts_on: "2020-01-01" });
  expect(addresses).toEqual([{ _clientId: expect.stringMatching(/^new-/), street: "Two", keeper: "p2" }]);
  expect(copy.id).toBeNull();
});

test("a place names one draft, and leads to nothing once it is gone", () => {
  const path = "addresses:a2/rooms:room";
  const draft = changeAt(ORIGINAL, "addresses:a2", (address) =>
    withPart(address, "rooms", true, emptyDraft("Room", { clientId: "room", values: { name: "Hall" } })),
  );
  expect(draftAt(draft, ROOT)).toBe(draft);
  expect(draftAt(draft, path)?.values).toEqual({ name: "Hall" });
  expect(draftAt(ORIGINAL, path)).toBeUndefined();
  expect(changeAt(ORIGINAL, path, () => emptyDraft("Room"))).toEqual(ORIGINAL);
});
