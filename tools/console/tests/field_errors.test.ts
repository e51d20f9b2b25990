import { expect, test } from "vitest";
import { fieldErrors } from "../src/members/field_errors";

const LABELS = { dateFormat: "Date format", timeZone: "Time zone", currentPassword: "Current password" };

test("each part of a refusal belongs to the field that it begins with", () => {
  const message =
    '"dateFormat" is not valid. The pattern "qqq" has the letter "q". Use d. "timeZone" is not valid. Use "Europe/Rome".';
  expect(fieldErrors(message, LABELS)).toEqual({
    fields: {
      dateFormat: '“Date format” is not valid. The pattern "qqq" has the letter "q". Use d.',
      timeZone: '“Time zone” is not valid. Use "Europe/Rome".',
    },
    rest: "",
  });
});

test("a field in the middle of a sentence counts, too", () => {
  const message = 'To change it, send your current password as "currentPassword".';
  expect(fieldErrors(message, LABELS).fields).toEqual({
    currentPassword: "To change it, send your current password as “Current password”.",
  });
});

test("what names no field of the form is about the whole form", () => {
  const message = '"admin" is the only active administrator.';
  expect(fieldErrors(message, LABELS)).toEqual({ fields: {}, rest: message });
  expect(fieldErrors(message, {})).toEqual({ fields: {}, rest: message });
});
