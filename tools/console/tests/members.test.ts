import { expect, test } from "vitest";
import type { AuditEntry } from "../src/members/audit_query";
import { nextAfter } from "../src/members/audit_query";
import { textOf, wayOf } from "../src/members/audit_texts";
import { filterInput } from "../src/members/members_query";
import { languageFor } from "../src/session/member_language";

const ENTRY: AuditEntry = {
  id: "1",
  at: "2026-11-28T03:00:04.120Z",
  kind: "signedIn",
  member: "a",
  username: "rosa",
  actor: "a",
  actorUsername: "rosa",
  way: "password",
  address: "192.0.2.7",
  device: "Firefox on Linux",
};

test.each([
  [{ search: "", profile: "", state: "" }, {}],
  [
    { search: " ro ", profile: "", state: "" },
    { OR: [{ username___contains: "ro" }, { email___contains: "ro" }] },
  ],
  [
    { search: "", profile: "Manager", state: "active" },
    { profile___eq: "Manager", disabled___eq: false },
  ],
  [{ search: "", profile: "", state: "disabled" }, { disabled___eq: true }],
] as const)("the filter %j is %j", (filter, input) => {
  expect(filterInput(filter)).toEqual(input);
});

test("the next page of the trail begins after the ID in the header", () => {
  const link = '<https://api.example.com/dev/auth/administration/audit?limit=3&after=06h21>; rel="next"';
  expect(nextAfter(link)).toBe("06h21");
  expect(nextAfter(null)).toBeNull();
});

test("an entry says what happened, and how", () => {
  expect(textOf({ ...ENTRY, kind: "signInRefused", count: 3 })).toBe("3 sign-ins refused");
  expect(textOf({ ...ENTRY, kind: "profileChanged", from: "Member", to: "Manager" })).toBe(
    "Profile changed from Member to Manager",
  );
  expect(wayOf(ENTRY)).toBe("with a password");
});

test("kinds and ways of a newer service are shown as they are", () => {
  expect(textOf({ ...ENTRY, kind: "passkeyAdded" })).toBe("passkeyAdded");
  expect(wayOf({ ...ENTRY, way: "google" })).toBe("with google");
});

test.each([
  ["it", "it"],
  ["it-CH", "it"],
  ["de", "en"],
])("a member with the language %s sees the console in %s", (code, language) => {
  expect(languageFor(code, ["en", "it"])).toBe(language);
});
