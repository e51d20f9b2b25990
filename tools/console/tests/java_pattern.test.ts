import { afterEach, expect, test } from "vitest";
import { exampleOf } from "../src/members/java_pattern";
import { setLanguage } from "../src/messages/messages";

const DATE = new Date("2026-03-05T07:04:09Z");

afterEach(() => setLanguage("en", {}));

test.each([
  ["dd/MM/yyyy", "05/03/2026"],
  ["d.M.yy", "5.3.26"],
  ["yyyy-MM-dd", "2026-03-05"],
  ["d MMM yyyy", "5 Mar 2026"],
  ["EEEE d MMMM yyyy", "Thursday 5 March 2026"],
  ["HH:mm:ss", "08:04:09"],
  ["H.mm", "8.04"],
  ["h:mm a", "8:04 am"],
  ["HH 'o''clock'", "08 o'clock"],
  ["'' yyyy", "' 2026"],
])("%s shows %s", (pattern, shown) => {
  expect(exampleOf(pattern, DATE, "Europe/Rome")).toBe(shown);
});

test.each(["iso", "", "ww", "qqq"])("no example is better than a wrong one: %s", (pattern) => {
  expect(exampleOf(pattern, DATE, "Europe/Rome")).toBeNull();
});

test("the names are those of the language, and an unknown zone has no example", () => {
  setLanguage("it", {});
  expect(exampleOf("EEEE d MMMM", DATE, "Europe/Rome")).toBe("giovedì 5 marzo");
  expect(exampleOf("HH:mm", DATE, "Nowhere/Else")).toBeNull();
});
