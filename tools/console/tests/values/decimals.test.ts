import { afterEach, describe, expect, test } from "vitest";
import { setLanguage } from "../../src/messages/messages";
import { parseDecimal, plainDigits, showDecimal } from "../../src/values/decimals";

afterEach(() => setLanguage("en", {}));

const LONG = "12345678901234567890123456789012345678";

test.each([
  ["1500", "1500"],
  ["1.5E+3", "1500"],
  ["2.5E+40", `25${"0".repeat(39)}`],
  ["-1E-3", "-0.001"],
  ["1.50", "1.5"],
  ["-0.0", "0"],
  ["007", "7"],
  [`0.${LONG}`, `0.${LONG}`],
  ["no number", "no number"],
])("%s in plain digits is %s", (text, plain) => {
  expect(plainDigits(text)).toBe(plain);
});

test.each([
  ["14", "14.00"],
  ["11.9", "11.90"],
  ["0.125", "0.125"],
  ["no number", "no number"],
])("%s with two digits behind the point is %s", (number, shown) => {
  expect(showDecimal(number, 2)).toBe(shown);
});

describe.each([
  ["en", ",", "."],
  ["it", ".", ","],
  ["de", ".", ","],
])("in %s", (language, group, decimal) => {
  const local = (text: string) => text.replaceAll(/[gd]/g, (letter) => (letter === "g" ? group : decimal));

  test.each([
    ["1234.5", "1g234d5"],
    ["-1234567", "-1g234g567"],
    ["999", "999"],
    ["0.001", "0d001"],
    [LONG, "12g345g678g901g234g567g890g123g456g789g012g345g678"],
    [`-${LONG.slice(0, 19)}.${LONG.slice(19)}`, "-1g234g567g890g123g456g789d0123456789012345678"],
  ])("%s is shown with separators, and read back", (number, shown) => {
    setLanguage(language, {});
    expect(showDecimal(number)).toBe(local(shown));
    expect(parseDecimal(local(shown))).toBe(number);
  });

  test.each([
    ["1d5", "1.5"],
    ["1.5", "1.5"],
    ["1,5", "1.5"],
    ["d5", "0.5"],
    ["5d", "5"],
    ["+7", "7"],
    ["−7", "-7"],
    [" 1 234d50 ", "1234.5"],
    ["1'234", "1234"],
    ["1e3", "1000"],
    ["1g500", "1500"],
    ["1d500", "1.5"],
    ["12g34", "12.34"],
  ])("%s means %s", (typed, number) => {
    setLanguage(language, {});
    expect(parseDecimal(local(typed))).toBe(number);
  });

  test.each([
    "",
    "-",
    "d",
    "abc",
    "1g5g0",
    "1d5d0",
    "1g23d5",
    `${LONG}9`,
    `0d${LONG}9`,
    "1e999",
    "0x10",
    "NaN",
  ])("%j means no number", (typed) => {
    setLanguage(language, {});
    expect(parseDecimal(local(typed))).toBeNull();
  });
});

test("38 digits and many zeros are a number", () => {
  expect(parseDecimal(`${LONG}000`)).toBe(`${LONG}000`);
  expect(parseDecimal(`0.000${LONG}`)).toBe(`0.000${LONG}`);
});
