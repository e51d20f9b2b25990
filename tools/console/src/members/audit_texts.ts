// What the entries of the audit trail say. One row for each kind.

import { plural, t } from "../messages/messages";
import type { AuditEntry } from "./audit_query";

type Text = (entry: AuditEntry) => string;

const TEXTS: Readonly<Record<string, Text>> = {
  signedIn: () => t("Signed in"),
  usedBasic: () => t("Used HTTP Basic"),
  signInRefused: ({ count = 1 }) => plural(count, "{count} sign-in refused", "{count} sign-ins refused"),
  sessionEnded: ({ sessions }) =>
    sessions === undefined
      ? t("Session ended")
      : plural(Number(sessions), "{count} session ended", "{count} sessions ended"),
  memberCreated: ({ profile = "" }) => t("Member created, with the profile {profile}", { profile }),
  memberDeleted: () => t("Member deleted"),
  memberDisabled: () => t("Member disabled"),
  memberEnabled: () => t("Member enabled"),
  profileChanged: ({ from = "", to = "" }) => t("Profile changed from {from} to {to}", { from, to }),
  usernameChanged: () => t("Username changed"),
  emailChanged: () => t("Email address changed"),
  passwordChanged: () => t("Password changed"),
  passwordLinkMade: () => t("Link for a password made"),
  keyCreated: ({ name = "" }) => t("API key {name} created", { name }),
  keyEnded: ({ name = "" }) => t("API key {name} ended", { name }),
  keyRefused: ({ count = 1 }) => plural(count, "{count} API key refused", "{count} API keys refused"),
  linkCreated: ({ provider = "" }) => t("Account at {provider} linked", { provider }),
  linkRemoved: ({ provider = "" }) => t("Account at {provider} unlinked", { provider }),
};

const WAYS: Readonly<Record<string, () => string>> = {
  password: () => t("with a password"),
  token: () => t("with a token"),
  key: () => t("with an API key"),
  link: () => t("with a link from an email"),
  command: () => t("by a command"),
  forgottenPassword: () => t("on the page for forgotten passwords"),
};

const BAD = new Set(["signInRefused", "keyRefused", "memberDeleted", "memberDisabled"]);

/** Returns what has happened. A newer service may have kinds that the console doesn't know. */
export function textOf(entry: AuditEntry): string {
  return TEXTS[entry.kind]?.(entry) ?? entry.kind;
}

/** Returns how it was done: a way that the console knows, or the name of a provider. */
export function wayOf({ way }: AuditEntry): string {
  return WAYS[way]?.() ?? (way ? t("with {provider}", { provider: way }) : "");
}

/** Whether an administrator may want to look at it. */
export function isNotable({ kind }: AuditEntry): boolean {
  return BAD.has(kind);
}
