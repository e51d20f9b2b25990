import { describe, expect, test } from "vitest";
import { type Attribute, Model, type ModelClass, type Role } from "../src/description/model";
import { updateInput } from "../src/object/changes";
import { asNew, type Change, merge, type Side } from "../src/object/conflict/merge";
import { withUnread } from "../src/object/conflict/unread";
import { type Draft, emptyDraft, type PartsDraft, withLink } from "../src/object/draft";

const ALWAYS = { readable: "always", creatable: "always", editable: "always" } as const;

function attribute(name: string, type = "String"): Attribute {
  return { ...ALWAYS, name, type, required: false, derived: false, unique: false };
}

function role(name: string, target: string, kind: Role["kind"], max?: number): Role {
  return { ...ALWAYS, name, target, kind, min: 0, key: true, ...(max ? { max } : {}) };
}

function class_(name: string, attributes: Attribute[], roles: Role[] = []): ModelClass {
  return {
    name,
    kind: "ORDINARY",
    versioned: true,
    exposed: true,
    read: "always",
    create: "always",
    edit: "always",
    delete: "always",
    label: "always",
    labelOf: [],
    platformAttributes: [],
    partOf: [],
    uniques: [],
    warnings: [],
    services: [],
    attributes,
    roles,
  };
}

const model = new Model({
  application: "Orders",
  administrator: false,
  profile: "Clerk",
  profiles: [],
  classes: [
    class_(
      "Order",
      [
        attribute("number"),
        attribute("note", "Text"),
        attribute("total", "Real"),
        attribute("due", "Datetime"),
      ],
      [
        role("customer", "Customer", "ASSOCIATION", 1),
        role("tags", "Tag", "ASSOCIATION"),
        role("lines", "Line", "COMPOSITION"),
        role("address", "Address", "COMPOSITION", 1),
      ],
    ),
    class_("Line", [attribute("product"), attribute("quantity", "Int")]),
    class_("Address", [attribute("city"), attribute("street"), attribute("plan", "File")]),
  ],
});

function order(values: Record<string, unknown> = {}, more: Partial<Draft> = {}): Draft {
  const all = { number: "7", note: null, total: "10", due: null, ...values };
  return emptyDraft("Order", { id: "o1", clientId: "o1", revision: "r1", values: all, ...more });
}

function line(id: string | null, product: string, quantity: number, more: Partial<Draft> = {}): Draft {
  const clientId = id ?? `new-${product}`;
  return emptyDraft("Line", { id, clientId, revision: id && "r1", values: { product, quantity }, ...more });
}

function address(id: string | null, city: string, more: Partial<Draft> = {}): Draft {
  const clientId = id ?? `new-${city}`;
  return emptyDraft("Address", {
    id,
    clientId,
    revision: id && "r1",
    values: { city, street: null },
    ...more,
  });
}

const lines = (...drafts: Draft[]): Partial<Draft> => ({ parts: { lines: { isToMany: true, drafts } } });
const at = (...drafts: Draft[]): Partial<Draft> => ({ parts: { address: { isToMany: false, drafts } } });

/** Names and outcomes of changes, as `lines.quantity choose`. */
function told(changes: readonly Change[]): string[] {
  return changes.map(({ key, kind, outcome }) => `${kind} ${key} ${outcome}`);
}

function choosing(side: Side, changes: readonly Change[]): Map<string, Side> {
  return new Map(changes.filter(({ outcome }) => outcome === "choose").map(({ key }) => [key, side]));
}

/** Returns what is saved on top of what the other member has saved. */
function saved(base: Draft, mine: Draft, theirs: Draft, side: Side): Record<string, unknown> {
  const { changes, resolve } = merge(model, base, mine, theirs);
  return updateInput(resolve(choosing(side, changes)), theirs);
}

const savedByThem = { revision: "r2" };

describe("an attribute", () => {
  test.each([
    ["nobody changes", "10", "10", "10", [], "10", "10"],
    ["only this member changes", "10", "12", "10", ["value |total mine"], "12", "12"],
    ["only the other member changes", "10", "10", "13", ["value |total theirs"], "13", "13"],
    ["both change to the same", "10", "12", "12", [], "12", "12"],
    ["both change to the same number in other digits", "10", "12", "12.0", [], "12.0", "12.0"],
    ["both change", "10", "12", "13", ["value |total choose"], "12", "13"],
    ["this member clears and the other changes", "10", null, "13", ["value |total choose"], null, "13"],
    ["the other member clears", "10", "10", null, ["value |total theirs"], null, null],
    ["this member fills in", null, "12", null, ["value |total mine"], "12", "12"],
  ])("that %s", (_, base, mine, theirs, changes, ifMine, ifTheirs) => {
    const merged = merge(
      model,
      order({ total: base }),
      order({ total: mine }),
      order({ total: theirs }, savedByThem),
    );
    expect(told(merged.changes)).toEqual(changes);
    expect(merged.resolve(choosing("mine", merged.changes)).values["total"]).toBe(ifMine);
    expect(merged.resolve(choosing("theirs", merged.changes)).values["total"]).toBe(ifTheirs);
  });

  test("is the same instant in another offset", () => {
    const [one, other] = ["2026-03-05T10:00:00+01:00", "2026-03-05T09:00:00.000Z"];
    expect(
      merge(model, order({ due: one }), order({ due: one }), order({ due: other }, savedByThem)).changes,
    ).toEqual([]);
  });

  test("that nobody may read stays out of it", () => {
    const hidden = { number: "7" };
    const draft = emptyDraft("Order", { id: "o1", values: hidden });
    expect(merge(model, draft, draft, draft).changes).toEqual([]);
  });

  test("is sent only where it changes what is stored", () => {
    const mine = order({ note: "mine", total: "12" });
    const theirs = order({ number: "8", total: "13" }, savedByThem);
    expect(saved(order(), mine, theirs, "mine")).toEqual({ _id: "o1", note: "mine", total: "12" });
    expect(saved(order(), mine, theirs, "theirs")).toEqual({ _id: "o1", note: "mine" });
  });
});

test("the result has the revision that is stored now", () => {
  const merged = merge(model, order(), order({ note: "mine" }), order({}, savedByThem));
  expect(merged.resolve(new Map()).revision).toBe("r2");
});

describe("a role", () => {
  const customer = (id: string | null, more: Partial<Draft> = {}) =>
    order({}, { references: { customer: id ? { id, label: id } : null }, ...more });

  test.each([
    ["c1", "c1", "c1", [], {}],
    ["c1", "c2", "c1", ["reference |customer mine"], { customer: { set: "c2" } }],
    ["c1", "c1", "c2", ["reference |customer theirs"], {}],
    ["c1", "c2", "c3", ["reference |customer choose"], { customer: { set: "c2" } }],
    ["c1", null, "c3", ["reference |customer choose"], { customer: { remove: true } }],
    ["c1", "c2", "c2", [], {}],
  ])("to one from %s, mine %s and theirs %s", (base, mine, theirs, changes, input) => {
    const drafts = [customer(base), customer(mine), customer(theirs, savedByThem)] as const;
    expect(told(merge(model, ...drafts).changes)).toEqual(changes);
    expect(saved(...drafts, "mine")).toEqual({ _id: "o1", ...input });
    const isMine = changes.some((change) => change.endsWith("mine"));
    expect(saved(...drafts, "theirs")).toEqual({ _id: "o1", ...(isMine ? input : {}) });
  });

  test("to many keeps what both have added", () => {
    const mine = withLink(order(), "tags", { id: "t1", label: "new" });
    const theirs = order({ note: "theirs" }, savedByThem);
    expect(told(merge(model, order(), mine, theirs).changes)).toEqual([
      "value |note theirs",
      "links |tags mine",
    ]);
    expect(saved(order(), mine, theirs, "theirs")).toEqual({ _id: "o1", tags: { add: ["t1"] } });
  });
});

describe("parts", () => {
  const base = order({}, lines(line("a", "nails", 1), line("b", "screws", 2)));
  const theirs = (...drafts: Draft[]) => order({}, { ...savedByThem, ...lines(...drafts) });
  const mine = (...drafts: Draft[]) => order({}, lines(...drafts));
  const [a, b] = [line("a", "nails", 1), line("b", "screws", 2)];
  const stored = (...drafts: Draft[]) => drafts.map((each) => ({ ...each, revision: "r2" }));

  test("that both have added are kept", () => {
    const [my, their] = [mine(a, b, line(null, "glue", 3)), theirs(a, b, ...stored(line("c", "tape", 4)))];
    expect(told(merge(model, base, my, their).changes)).toEqual([
      "part lines:c theirs",
      "part lines:new-glue mine",
    ]);
    expect(saved(base, my, their, "theirs")).toEqual({
      _id: "o1",
      lines: { create: [{ _clientId: "new-glue", product: "glue", quantity: 3 }] },
    });
  });

  test("of which each has changed another one are kept", () => {
    const [my, their] = [mine(line("a", "nails", 9), b), theirs(a, ...stored(line("b", "screws", 8)))];
    expect(told(merge(model, base, my, their).changes)).toEqual(
      ["value lines:b|quantity theirs", "value lines:a|quantity mine"].sort(),
    );
    expect(saved(base, my, their, "theirs")).toEqual({
      _id: "o1",
      lines: { update: [{ _id: "a", quantity: 9, _ifRevision: "r1" }] },
    });
  });

  test("of which both have changed different attributes are merged", () => {
    const [my, their] = [mine(line("a", "nails", 9), b), theirs(...stored(line("a", "tacks", 1)), b)];
    expect(saved(base, my, their, "theirs")).toEqual({
      _id: "o1",
      lines: { update: [{ _id: "a", quantity: 9, _ifRevision: "r2" }] },
    });
  });

  test("of which both have changed the same attribute are chosen", () => {
    const [my, their] = [mine(line("a", "nails", 9), b), theirs(...stored(line("a", "nails", 8)), b)];
    expect(told(merge(model, base, my, their).changes)).toEqual(["value lines:a|quantity choose"]);
    expect(saved(base, my, their, "mine")).toMatchObject({ lines: { update: [{ _id: "a", quantity: 9 }] } });
    expect(saved(base, my, their, "theirs")).toEqual({ _id: "o1" });
  });

  test("that this member deletes and the other has changed are chosen", () => {
    const [my, their] = [mine({ ...a, isDeleted: true }, b), theirs(...stored(line("a", "nails", 8)), b)];
    expect(told(merge(model, base, my, their).changes)).toEqual(["part lines:a choose"]);
    expect(saved(base, my, their, "mine")).toEqual({ _id: "o1", lines: { delete: ["a"] } });
    expect(saved(base, my, their, "theirs")).toEqual({ _id: "o1" });
  });

  test("that only this member deletes are deleted", () => {
    const [my, their] = [mine({ ...a, isDeleted: true }, b), theirs(a, b)];
    expect(told(merge(model, base, my, their).changes)).toEqual(["part lines:a mine"]);
    expect(saved(base, my, their, "theirs")).toEqual({ _id: "o1", lines: { delete: ["a"] } });
  });

  test("that the other member has deleted and this one has changed are created again", () => {
    const [my, their] = [mine(line("a", "nails", 9), b), theirs(b)];
    expect(told(merge(model, base, my, their).changes)).toEqual(["part lines:a choose"]);
    expect(saved(base, my, their, "mine")).toEqual({
      _id: "o1",
      lines: { create: [{ _clientId: expect.stringMatching(/^new-/), product: "nails", quantity: 9 }] },
    });
    expect(saved(base, my, their, "theirs")).toEqual({ _id: "o1" });
  });

  test("that the other member has deleted stay deleted", () => {
    expect(told(merge(model, base, mine(a, b), theirs(b)).changes)).toEqual(["part lines:a theirs"]);
    expect(saved(base, mine(a, b), theirs(b), "mine")).toEqual({ _id: "o1" });
  });

  test("that both have deleted are gone", () => {
    const my = mine({ ...a, isDeleted: true }, b);
    expect(merge(model, base, my, theirs(b)).changes).toEqual([]);
    expect(saved(base, my, theirs(b), "mine")).toEqual({ _id: "o1" });
  });
});

describe("the only part", () => {
  const home = address("x", "Rome");
  const draft = (part: Draft | null, more: Partial<Draft> = {}) =>
    order({}, { ...at(...(part ? [part] : [])), ...more });
  const theirs = (part: Draft | null) => draft(part && { ...part, revision: "r2" }, savedByThem);
  const moved = address("x", "Milan");
  const again = { _clientId: expect.any(String), city: "Milan" };
  const create = (city: string) => ({ create: { _clientId: `new-${city}`, city } });

  test.each<[string, Draft | null, Draft, Draft, string[], unknown, unknown]>([
    [
      "is added by both",
      null,
      draft(address(null, "Milan")),
      theirs(address("y", "Turin")),
      ["choose"],
      { ...create("Milan"), delete: true },
      undefined,
    ],
    [
      "is added by this member",
      null,
      draft(address(null, "Milan")),
      theirs(null),
      ["mine"],
      create("Milan"),
      create("Milan"),
    ],
    [
      "is added by the other",
      null,
      draft(null),
      theirs(address("y", "Turin")),
      ["theirs"],
      undefined,
      undefined,
    ],
    [
      "is changed by both",
      home,
      draft(moved),
      theirs(address("x", "Turin")),
      ["choose"],
      { update: { _id: "x", city: "Milan", _ifRevision: "r2" } },
      undefined,
    ],
    [
      "is deleted by this member",
      home,
      order({}, at({ ...home, isDeleted: true })),
      theirs(home),
      ["mine"],
      { delete: true },
      { delete: true },
    ],
    [
      "is deleted by this member and changed by the other",
      home,
      order({}, at({ ...home, isDeleted: true })),
      theirs(address("x", "Turin")),
      ["choose"],
      { delete: true },
      undefined,
    ],
    [
      "is changed by this member and deleted by the other",
      home,
      draft(moved),
      theirs(null),
      ["choose"],
      { create: again },
      undefined,
    ],
    [
      "is replaced by the other",
      home,
      draft(home),
      theirs(address("y", "Turin")),
      ["theirs"],
      undefined,
      undefined,
    ],
    [
      "is replaced by this member",
      home,
      order({}, at({ ...home, isDeleted: true }, address(null, "Milan"))),
      theirs(home),
      ["mine"],
      { ...create("Milan"), delete: true },
      { ...create("Milan"), delete: true },
    ],
    [
      "is replaced by both",
      home,
      order({}, at({ ...home, isDeleted: true }, address(null, "Milan"))),
      theirs(address("y", "Turin")),
      ["choose"],
      { ...create("Milan"), delete: true },
      undefined,
    ],
    ["stays", home, draft(home), theirs(home), [], undefined, undefined],
  ])("that %s", (_, base, mine, their, outcomes, ifMine, ifTheirs) => {
    const drafts = [draft(base), mine, their] as const;
    expect(merge(model, ...drafts).changes.map(({ outcome }) => outcome)).toEqual(outcomes);
    expect(saved(...drafts, "mine")["address"]).toEqual(ifMine);
    expect(saved(...drafts, "theirs")["address"]).toEqual(ifTheirs);
  });
});

test("parts that nobody has read stay as they are", () => {
  const unread: Record<string, PartsDraft> = {};
  const draft = order({}, { parts: unread });
  const theirs = order({}, { ...savedByThem, ...lines(line("a", "nails", 1)) });
  expect(merge(model, draft, draft, theirs).changes).toEqual([]);
  expect(saved(draft, draft, theirs, "mine")).toEqual({ _id: "o1" });
});

describe("the stored object was read without", () => {
  const [a, b] = [line("a", "nails", 1), line("b", "screws", 2)];
  const stored = (page: object) => ({ _id: "o1", lines: page });
  const read = order({}, { ...savedByThem, ...lines(a) });

  test("the parts after its first page, which stay", () => {
    const all = withUnread(order({}, lines(a, b)), read, stored({ items: [{ _id: "a" }], hasNext: true }));
    const mine = order({}, lines(a, line("b", "screws", 7)));
    expect(saved(order({}, lines(a, b)), mine, all, "theirs")).toEqual({
      _id: "o1",
      lines: { update: [{ _id: "b", quantity: 7, _ifRevision: "r1" }] },
    });
  });

  test("parts that are deleted, which don't come back", () => {
    const all = withUnread(order({}, lines(a, b)), read, stored({ items: [{ _id: "a" }], hasNext: false }));
    expect(all.parts["lines"]?.drafts.map(({ id }) => id)).toEqual(["a"]);
  });

  test("the parts of parts", () => {
    const deep = (part: Draft) => ({ ...part, ...at(address("x", "Rome")) });
    const all = withUnread(
      order({}, lines(deep(a))),
      read,
      stored({ items: [{ _id: "a" }], hasNext: false }),
    );
    const [part] = all.parts["lines"]?.drafts ?? [];
    expect(part?.parts["address"]?.drafts.map(({ id }) => id)).toEqual(["x"]);
  });
});

test("an object that is created again takes only files along that belong to none", () => {
  const pending = { pendingFileId: "p1", fileId: "f2", name: "b.pdf" };
  const address = (plan: object) =>
    emptyDraft("Address", { id: "x", clientId: "x", revision: "r1", values: { city: "Rome", plan } });
  const again = (plan: object) => asNew(model, order({}, at(address(plan))));
  const only = (draft: Draft) => draft.parts["address"]?.drafts[0];
  expect(only(again({ fileId: "f1", name: "a.pdf" }))?.values).toEqual({ city: "Rome" });
  expect(only(again(pending))?.values).toEqual({ city: "Rome", plan: pending });
  expect(only(again(pending))).toMatchObject({ id: null, revision: null });
  expect(again(pending)).toMatchObject({ id: null, revision: null });
});
