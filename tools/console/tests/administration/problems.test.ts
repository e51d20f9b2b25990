import { expect, test } from "vitest";
import { problemsOf } from "../../src/administration/problems";
import type { ServiceReport, Severity } from "../../src/administration/service_report";
import { isChanged } from "../../src/administration/settings";

const READY: ServiceReport = {
  version: "1",
  application: "Hr",
  health: { store: "reachable" },
  stores: [],
  indexes: [{ class: "Pet", name: "@index(name)", state: "READY" }],
  settings: [],
  model: {
    file: "m.graphql",
    text: "",
    comparisons: [{ previous: true, lastSeen: "", changes: [change("DECISION")] }],
  },
};

function change(severity: Severity) {
  return { severity, subject: "Pet", change: "", reason: "", toDo: "" };
}

function texts(report: Partial<ServiceReport>): readonly string[] {
  return problemsOf({ ...READY, ...report }).map(({ kind, text }) => `${kind}: ${text}`);
}

test("a service that is ready has no problem, whatever the model before was", () => {
  expect(texts({})).toEqual([]);
});

test("a store that doesn't answer is the first problem, and nothing repeats it", () => {
  const model = { ...READY.model, problem: "The store can't be reached.", comparisons: [] };
  const found = texts({
    health: { store: "unreachable", keys: "unreadable", stopping: true },
    indexes: null,
    model,
  });
  expect(found.map((each) => each.slice(0, 40))).toEqual([
    "error: The store of the objects can't be",
    "error: The keys that sign tokens can't b",
    "warning: The process that answered is ab",
  ]);
});

test("changes of the model file and unfinished indexes are counted", () => {
  const changes = [change("DECISION"), change("REINDEX"), change("SAFE")];
  const comparisons = [{ previous: false, lastSeen: "", changes }];
  const indexes = [{ class: "Pet", name: "@unique(name)", state: "BUILDING" } as const];
  expect(texts({ model: { ...READY.model, comparisons }, indexes })).toEqual([
    "warning: The model file has 1 change that needs a decision.",
    "info: The model file has 2 changes that aren't served yet.",
    "warning: 1 index or constraint isn't ready.",
  ]);
});

test("a model file with mistakes can't be compared", () => {
  expect(texts({ model: { ...READY.model, problem: "m.graphql:1: …" } })).toEqual([
    "warning: The model file can't be compared with the model that serves.",
  ]);
});

test("a setting is changed if it differs from its default, or is a secret that is set", () => {
  const setting = { name: "PORT", description: "" };
  const found = [{ isDefault: true }, { isDefault: false }, { isSet: true }, { isSet: false }];
  expect(found.map((each) => isChanged({ ...setting, ...each }))).toEqual([false, true, true, false]);
});
