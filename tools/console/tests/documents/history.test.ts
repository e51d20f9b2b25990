import { describe, expect, test } from "vitest";
import { offers } from "../../src/description/model";
import {
  canCompare,
  changesDocument,
  comparisonDocument,
  deletedPageDocument,
  HISTORY_PAGE,
  restoreDocument,
  showsAuthor,
  versionPageDocument,
} from "../../src/documents/history";
import { EVERYTHING, expectValid, GOLDENS } from "./golden";

describe.each(GOLDENS)("$name", (golden) => {
  const offering = (service: string) => golden.model.classes.filter((class_) => offers(class_, service));
  const span = { from: "2026-03-05T10:00:00.000Z", to: "2026-03-06T10:00:00.000Z" };

  test.each(offering("getVersionPage"))("the versions of $name can be read", (class_) => {
    expectValid(golden, versionPageDocument(class_));
    expect(canCompare(class_)).toBe(true);
    expectValid(golden, changesDocument(class_, Array(HISTORY_PAGE).fill(span)));
    expectValid(golden, comparisonDocument(class_, "_id"));
  });

  test.each(offering("restoreVersion"))("$name can be restored", (class_) => {
    expectValid(golden, restoreDocument(class_));
  });

  test.each(offering("getDeletedPage"))("deleted objects of $name can be read", (class_) => {
    expectValid(golden, deletedPageDocument(class_));
  });
});

test("the author is read where the class records it", () => {
  const classes = EVERYTHING.model.classes.filter((class_) => offers(class_, "getVersionPage"));
  const authors = classes.map((class_) => [class_.name, showsAuthor(class_)]);
  for (const class_ of classes)
    expect(versionPageDocument(class_).includes("_lastmodifiedby")).toBe(showsAuthor(class_));
  expect(authors.some(([, shows]) => shows)).toBe(true);
});
