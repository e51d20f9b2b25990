import { afterEach, describe, expect, test } from "vitest";
import type { Attribute } from "../../src/description/model";
import { setLanguage } from "../../src/messages/messages";
import { isSameValue, problemOf, valueTypeOf } from "../../src/values/registry";
import { EVERYTHING, MEMBER } from "../documents/golden";

afterEach(() => setLanguage("en", {}));

function attribute(type: string, more: Partial<Attribute> = {}): Attribute {
  const use = { readable: "always", creatable: "always", editable: "always" } as const;
  return { name: "it", type, required: false, derived: false, unique: false, ...use, ...more };
}

const MOOD = attribute("Mood", { values: [{ name: "ON_LEAVE", description: "Away." }, { name: "Busy" }] });

test("each operator of each type exists in the API", () => {
  for (const { model, schema } of [EVERYTHING, MEMBER]) {
    for (const class_ of model.classes) {
      const filter = schema.getType(`${class_.name}Filter`);
      if (!filter || !("getFields" in filter)) continue;
      const known = filter.getFields();
      for (const each of class_.attributes.filter(({ readable }) => readable !== "never")) {
        const conditions = valueTypeOf(each).operators.map((operator) => `${each.name}___${operator}`);
        expect(conditions.filter((condition) => !(condition in known))).toEqual([]);
      }
    }
  }
});

test.each([
  ["en", attribute("Int"), 1234567, "1,234,567"],
  ["it", attribute("Int"), -1234567, "-1.234.567"],
  ["it", attribute("Year"), 2026, "2026"],
  ["it", attribute("Real"), "1234.50", "1.234,5"],
  ["en", attribute("Real"), "2.5E+4", "25,000"],
  ["en", attribute("Serial"), "1234", "1234"],
  ["en", attribute("Boolean"), true, "Yes"],
  ["en", attribute("Boolean"), false, "No"],
  ["en", attribute("Date"), "31/12/2026", "31/12/2026"],
  ["en", MOOD, "ON_LEAVE", "On leave"],
  ["en", MOOD, "Busy", "Busy"],
  ["en", attribute("File"), { name: "a.pdf", size: 1 }, "a.pdf"],
  ["en", attribute("Unheard"), "of", "of"],
])("in %s, %o shows %j as %s", (language, one, value, text) => {
  setLanguage(language, {});
  expect(valueTypeOf(one).toText(value, one)).toBe(text);
});

describe("what is obviously wrong", () => {
  test.each([
    [attribute("Int"), 2 ** 31 - 1],
    [attribute("Int"), -(2 ** 31)],
    [attribute("Year"), 0],
    [attribute("Year"), 9999],
    [attribute("Real"), "-12345678901234567890.123456789012345678"],
    [attribute("String"), "x".repeat(255)],
    [attribute("String"), "👍".repeat(255)],
    [attribute("String", { domain: { maxLength: 300 } }), "x".repeat(300)],
    [attribute("Text"), "x".repeat(100_000)],
    [attribute("Date"), "0001-01-01"],
    [attribute("Time"), "10:30"],
    [attribute("Time"), "10:30:00.123"],
    [attribute("Datetime"), "2026-01-01T00:00:00.000Z"],
    [attribute("Datetime"), "2026-01-01T00:00:00.000-03:30"],
    [attribute("Datetime"), "0001-01-01T00:00:00.000Z"],
    [attribute("String"), null],
  ])("%o can be %j", (one, value) => {
    expect(problemOf(one, value)).toBeNull();
  });

  test.each([
    [attribute("Int"), 2 ** 31, "from -2,147,483,648 to 2,147,483,647"],
    [attribute("Int"), "1.5", "whole number"],
    [attribute("Year"), 10000, "from 0 to 9999"],
    [attribute("Year"), "MMXX", "whole number"],
    [attribute("Real"), "a lot", "1,234.5"],
    [attribute("String"), "x".repeat(256), "at most 255 characters"],
    [attribute("String", { domain: { maxLength: 1 } }), "xx", "at most 1 character."],
    [attribute("Text", { domain: { maxLength: 2000 } }), "x".repeat(2001), "at most 2,000 characters"],
    [attribute("Date"), "31/mm/2026", "Complete the date"],
    [attribute("Time"), "10:––", "Complete the time"],
    [attribute("Datetime"), "31/12/2026, ––:––", "Complete the date and the time"],
    [attribute("Datetime"), "0000-12-31T23:30:00.000Z", "from 1 to 9999"],
    [attribute("Datetime"), "+010000-01-01T03:00:00.000Z", "from 1 to 9999"],
  ])("%o can't be %j", (one, value, reason) => {
    expect(problemOf(one, value)).toContain(reason);
  });
});

test.each([
  [attribute("Real"), "1.50", "1.5", true],
  [attribute("Real"), "1E+3", "1000", true],
  [attribute("Real"), "1.5", "1.50000000000000000000000000000000000001", false],
  [attribute("Time"), "10:30", "10:30:00.000", true],
  [attribute("Time"), "10:30:00.12", "10:30:00.120", true],
  [attribute("Time"), "10:30:01", "10:30:00.000", false],
  [attribute("Datetime"), "2026-01-01T01:00:00.000+01:00", "2026-01-01T00:00:00Z", true],
  [attribute("Datetime"), "2026-01-01T01:00:00.001+01:00", "2026-01-01T00:00:00Z", false],
  [attribute("File"), { fileId: "1", link: "…" }, { fileId: "1", pendingFileId: "2" }, true],
  [attribute("String"), "a", "a ", false],
  [attribute("String"), null, undefined, true],
  [attribute("String"), null, "", false],
  [attribute("Boolean"), null, false, false],
])("%o: %j and %j are the same: %j", (one, value, other, isSame) => {
  expect(isSameValue(one, value, other)).toBe(isSame);
  expect(isSameValue(one, other, value)).toBe(isSame);
});
