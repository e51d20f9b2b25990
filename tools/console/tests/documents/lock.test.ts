import { describe, test } from "vitest";
import { offers } from "../../src/description/model";
import { LOCK_DOCUMENT, lockDocument, UNLOCK_DOCUMENT } from "../../src/documents/lock";
import { expectValid, GOLDENS } from "./golden";

describe.each(GOLDENS)("$name", (golden) => {
  test.each(golden.model.classes.filter((class_) => offers(class_, "get") && class_.kind !== "USERS"))(
    "the lock of $name can be read",
    (class_) => expectValid(golden, lockDocument(class_)),
  );

  test("locks are taken and released", () => {
    expectValid(golden, LOCK_DOCUMENT);
    expectValid(golden, UNLOCK_DOCUMENT);
  });
});
