import { describe, expect, test } from "vitest";
import type { Condition } from "../../src/list/filter/condition";
import { conditionSentence, operatorText } from "../../src/list/filter/sentences";
import { valueTypeOf } from "../../src/values/registry";
import { GOLDENS, MEMBER } from "../documents/golden";

const member = { timeZone: "Europe/Rome", dateFormat: "dd/MM/yyyy", timeFormat: "HH:mm" };
const labels = new Map([["06h0", "Engines"]]);

function sentence(condition: Condition, formats = member): string {
  const context = { model: MEMBER.model, member: formats, labels };
  return conditionSentence(condition, MEMBER.model.of("Employee"), context);
}

describe("a condition is a sentence", () => {
  const engines = { field: "_id", operator: "eq", value: "06h0" } as const;
  const rossi = { field: "last_name", operator: "starts_with", value: "Ro" } as const;

  test.each<[Condition, string]>([
    [{ field: "hired_on", operator: "gt", value: "2024-03-01" }, "Hired on is after 01/03/2024"],
    [
      { field: "hired_on", operator: "lte", value: "2024-03-01", isNegated: true },
      "Hired on is not 01/03/2024 or before",
    ],
    [{ field: "badge", operator: "gt", value: 3 }, "Badge is more than 3"],
    [{ field: "remote", operator: "eq", value: false }, "Remote is No"],
    [{ field: "phone", operator: "null" }, "Phone is empty"],
    [{ field: "phone", operator: "null", isNegated: true }, "Phone is not empty"],
    [{ field: "last_name", operator: "in", value: ["Rossi", "Curie"] }, "Last name is one of Rossi or Curie"],
    [
      { field: "_createdon", operator: "gte", value: "2024-03-01T23:30:00Z" },
      "Created on is 02/03/2024, 00:30 or after",
    ],
    [{ field: "_createdon", operator: "lt", value: "2024-03-01" }, "Created on is before 01/03/2024"],
    [{ field: "team", operator: "is", inner: engines }, "Team is Engines"],
    [{ field: "team", operator: "is", inner: engines, isNegated: true }, "Team is not Engines"],
    [{ field: "team", operator: "is", inner: { ...engines, value: "other" } }, "Team is …"],
    [{ field: "team", operator: "null" }, "Team is empty"],
    [{ field: "team", operator: "is" }, "Team is not empty"],
    [{ field: "manager", operator: "is", inner: rossi }, "Manager whose last name starts with Ro"],
    [
      { field: "reports", operator: "some", inner: rossi },
      "Reports: at least one whose last name starts with Ro",
    ],
    [{ field: "reports", operator: "none", inner: rossi }, "Reports: none whose last name starts with Ro"],
    [{ field: "reports", operator: "none", isNegated: true }, "Reports are not empty"],
    [
      { field: "reports", operator: "some", inner: engines, isNegated: true },
      "Reports do not include Engines",
    ],
  ])("%j", (condition, expected) => {
    expect(sentence(condition)).toBe(expected);
  });

  test("in the member's formats", () => {
    const born = { field: "hired_on", operator: "eq", value: "2024-03-31" } as const;
    expect(sentence(born, { ...member, dateFormat: "iso" })).toBe("Hired on is 2024-03-31");
    expect(sentence(born, { ...member, dateFormat: "MM/dd/yyyy" })).toBe("Hired on is 03/31/2024");
  });
});

test("each operator of each type has a text", () => {
  for (const { model } of GOLDENS)
    for (const class_ of model.classes)
      for (const attribute of class_.attributes) {
        const texts = valueTypeOf(attribute).operators.map((each) => operatorText(each, attribute.type));
        expect(texts.every(Boolean)).toBe(true);
        expect(new Set(texts).size).toBe(texts.length);
      }
  expect(operatorText("gt", "Date")).toBe("is after");
  expect(operatorText("lte", "Date")).toBe("is … or before");
});
