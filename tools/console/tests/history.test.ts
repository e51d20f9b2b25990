import { describe, expect, test } from "vitest";
import { offers } from "../src/description/model";
import { compare, type Row } from "../src/history/comparison";
import { searchFilter } from "../src/history/deleted_query";
import { entriesOf, groupsOf, instantOf, justBefore, type Version } from "../src/history/version";
import { EVERYTHING, MEMBER } from "./documents/golden";

const at = (minute: number) => `2026-03-05T10:${String(minute).padStart(2, "0")}:00.000+01:00`;
const before = (minute: number) => justBefore(at(minute));

function version(start: number, end: number | null): Version {
  return { start: at(start), end: end === null ? null : at(end) };
}

/** Entries as short texts: what happened, and whether a span says what changed. */
function told(versions: readonly Version[], hasMore = false): string[] {
  return entriesOf(versions, hasMore).map((entry) => {
    if (entry.kind === "DELETED") return `deleted ${entry.at}`;
    const how = entry.isRestored ? "restored" : entry.span ? "changed" : "created";
    return `${how} ${entry.version.start}`;
  });
}

describe("what has happened", () => {
  test("to an object that exists", () => {
    expect(told([version(3, null), version(2, 3), version(1, 2)])).toEqual([
      `changed ${at(3)}`,
      `changed ${at(2)}`,
      `created ${at(1)}`,
    ]);
  });

  test("to a deleted object begins with its deletion", () => {
    expect(told([version(2, 3), version(1, 2)])).toEqual([
      `deleted ${at(3)}`,
      `changed ${at(2)}`,
      `created ${at(1)}`,
    ]);
  });

  test("to a restored object has the deletion in between", () => {
    expect(told([version(5, null), version(1, 2)])).toEqual([
      `restored ${at(5)}`,
      `deleted ${at(2)}`,
      `created ${at(1)}`,
    ]);
  });

  test("does not begin before what is read", () => {
    expect(told([version(3, null), version(2, 3), version(1, 2)], true)).toEqual([
      `changed ${at(3)}`,
      `changed ${at(2)}`,
    ]);
  });

  test("is compared with the state just before", () => {
    const [newest] = entriesOf([version(2, null), version(1, 2)], false);
    expect(newest).toMatchObject({ span: { from: before(2), to: at(2) } });
  });

  test("is the same where offsets differ, as at the end of daylight saving time", () => {
    const later = { start: "2026-10-25T02:10:00.000+01:00", end: null };
    const earlier = { start: "2026-10-25T02:00:00.000+02:00", end: "2026-10-25T01:10:00.000Z" };
    expect(told([later, earlier])).toEqual([`changed ${later.start}`, `created ${earlier.start}`]);
  });
});

test("a former version is looked at in its last millisecond, the current one now", () => {
  expect(instantOf(version(1, 2))).toBe("2026-03-05T09:01:59.999Z");
  expect(instantOf(version(1, null))).toBeNull();
});

test("changes that were asked for together stay together when more versions are read", () => {
  const versions = Array.from({ length: 40 }, (_, index) => version(59 - index, index ? 60 - index : null));
  const first = groupsOf(entriesOf(versions.slice(0, 20), true), 20);
  const all = groupsOf(entriesOf(versions, true), 20);
  expect(first.map((group) => group.length)).toEqual([19]);
  expect(all.map((group) => group.length)).toEqual([19, 20]);
  expect(all[0]).toEqual(first[0]);
});

describe("two states", () => {
  const { model } = MEMBER;
  const employee = model.of("Employee");
  const state = (more: object) => ({ _id: "e1", first_name: "Ada", last_name: "Byron", ...more });
  const page = (...items: object[]) => ({ items, hasNext: false });
  const changed = (rows: readonly Row[]) =>
    rows.filter(({ isChanged }) => isChanged).map(({ way, name }) => [...way, name].join(" › "));

  function compared(from: object | null, to: object | null, changes: object[] = []) {
    const states = { from: from && state(from), to: to && state(to), difference: { changes } };
    return compare(model, employee, states as never);
  }

  test("show what differs first", () => {
    const rows = compared({}, { last_name: "King" });
    expect(rows[0]).toMatchObject({ name: "last_name", from: { value: "Byron" }, to: { value: "King" } });
    expect(changed(rows)).toEqual(["last_name"]);
    expect(rows.length).toBeGreaterThan(10);
  });

  test("show values exactly if their texts are the same", () => {
    const text = "05/03/2026 10:00";
    const change = { name: "hired_on", old: '"2026-03-05"', new: "null" };
    const rows = compared({ hired_on: text }, { hired_on: text }, [{ ...change, new: '"2026-03-06"' }]);
    expect(rows[0]).toMatchObject({
      name: "hired_on",
      isChanged: true,
      from: { kind: "EXACT", text: "2026-03-05" },
      to: { kind: "EXACT", text: "2026-03-06" },
    });
  });

  test("don't differ by the links of a file, which name the version", () => {
    const file = { name: "a.png", mimeType: "image/png", size: 3 };
    const rows = compared({ photo: { ...file, link: "/1" } }, { photo: { ...file, link: "/2" } });
    expect(changed(rows)).toEqual([]);
    expect(changed(compared({ photo: { ...file, link: "/1" } }, { photo: { ...file, size: 4 } }))).toEqual([
      "photo",
    ]);
  });

  test("show roles by the labels of what they lead to", () => {
    const [row] = compared(
      { team: { _id: "t1", _label: "Research" } },
      { team: { _id: "t2", _label: "Sales" } },
    );
    expect(row).toMatchObject({
      name: "team",
      from: { labels: ["Research"] },
      to: { labels: ["Sales"] },
    });
    // Another label of the same object is no change of this one.
    expect(
      changed(compared({ team: { _id: "t1", _label: "Old" } }, { team: { _id: "t1", _label: "New" } })),
    ).toEqual([]);
  });

  test("tell a role that led to something that is gone from one that led to nothing", () => {
    const change = { name: "team", old: '"t1"', new: null };
    const [row] = compared({ team: null }, { team: null }, [change]);
    expect(row).toMatchObject({ name: "team", isChanged: true, from: { kind: "GONE" } });
    expect(row?.to).toEqual({ kind: "NOTHING" });
  });

  test("show what differs in parts, and parts that are in one state only", () => {
    const [a, b] = [
      { _id: "a", _label: "Home", street: "Via Roma 1", city: "Rome" },
      { _id: "b", _label: "Office", street: "Via Po 2", city: "Turin" },
    ];
    const rows = compared({ addresses: page(a) }, { addresses: page({ ...a, street: "Via Appia 1" }, b) });
    expect(changed(rows)).toEqual([
      "Addresses › Home › street",
      "Addresses › Office › street",
      "Addresses › Office › city",
    ]);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  test("don't take parts for deleted that were not read", () => {
    const part = { _id: "a", _label: "Home", street: "Via Roma 1", city: "Rome" };
    const rows = compared({ addresses: page(part) }, { addresses: { items: [], hasNext: true } });
    expect(changed(rows)).toEqual([]);
  });

  test("of which one doesn't exist show all values of the other", () => {
    expect(changed(compared(null, {}))).toEqual(["first_name", "last_name"]);
  });
});

describe("a search among deleted objects", () => {
  const employee = MEMBER.model.of("Employee");

  test("looks for each word, however it is written", () => {
    const filter = searchFilter(employee, "ada  HOPPER") as { AND: { OR: object[] }[] };
    expect(filter.AND).toHaveLength(2);
    expect(filter.AND[0]?.OR).toContainEqual({ first_name___contains: "Ada" });
    expect(filter.AND[0]?.OR).toContainEqual({ first_name___contains: "ada" });
    expect(filter.AND[1]?.OR).toContainEqual({ last_name___contains: "Hopper" });
  });

  test.each(["", "   "])("for %j looks for nothing", (search) => {
    expect(searchFilter(employee, search)).toBeNull();
  });

  test("is left out where a class has no texts", () => {
    const classes = EVERYTHING.model.classes.filter((class_) => offers(class_, "getDeletedPage"));
    expect(classes.map((class_) => searchFilter(class_, "a")).every((filter) => filter !== undefined)).toBe(
      true,
    );
  });
});
