import { expect, test } from "vitest";
import { titleOf } from "../src/description/sidebar";

test.each([
  ["hired_on", "Hired on"],
  ["hiredOn", "Hired on"],
  ["PurchaseOrder", "Purchase order"],
  ["VATNumber", "VAT number"],
  ["name", "Name"],
])("%s is shown as %s", (name, title) => {
  expect(titleOf(name)).toBe(title);
});
