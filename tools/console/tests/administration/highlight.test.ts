import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { highlightedLines } from "../../src/administration/model_text/highlight";

const kinds = (text: string) =>
  highlightedLines(text).map((line) =>
    line.filter(({ kind }) => kind !== "plain").map(({ kind, text: part }) => `${kind} ${part}`),
  );

test("the parts of a model have colors of their own", () => {
  expect(
    kinds('type Pet @class(versioned: true) { # a pet\n  age: Int! @domain(min: "0", digits: 2) }'),
  ).toEqual([
    ["keyword type", "type Pet", "directive @class", "keyword true", "comment # a pet"],
    ["type Int", "directive @domain", 'string "0"', "number 2"],
  ]);
});

test("a field may have the name of a keyword", () => {
  expect(kinds("type Pet { type: String input : Int }")).toEqual([
    ["keyword type", "type Pet", "type String", "type Int"],
  ]);
});

test("what stands in strings and comments stays one token, over lines too", () => {
  expect(kinds('"""A type\n"quoted" # no comment"""\n"a \\" type" # type "x')).toEqual([
    ['string """A type'],
    ['string "quoted" # no comment"""'],
    ['string "a \\" type"', 'comment # type "x'],
  ]);
});

test.each(['"unfinished', '"""unfinished\ntype', "# only", "", "type\r\nPet", "é 漢 🙂 \u202e"])(
  "no character of %j is lost",
  (text) => {
    const lines = highlightedLines(text);
    expect(lines.map((line) => line.map((token) => token.text).join("")).join("\n")).toBe(text);
  },
);

test("no character of the sample model is lost", () => {
  const text = readFileSync("../../layers/model/model.graphql", "utf8");
  const lines = highlightedLines(text);
  expect(lines.map((line) => line.map((token) => token.text).join("")).join("\n")).toBe(text);
});
