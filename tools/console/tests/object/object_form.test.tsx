// The form of an object over a service that is played: what is asked when, and which answers count.

import { act, renderHook, waitFor } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { ROOT, withValue } from "../../src/object/draft";
import { fieldKey } from "../../src/object/issues";
import { draftOf, newDraft } from "../../src/object/reading";
import { useObjectForm } from "../../src/object/use_object_form";
import { ServiceError } from "../../src/service/errors";
import { ask } from "../../src/service/graphql";
import { EVERYTHING } from "../documents/golden";

vi.mock("../../src/service/graphql");

const { model } = EVERYTHING;
const skill = model.of("Skill");
const STORED = { _id: "s1", _label: "Sums", _revision: "r1", name: "Sums" };
const REQUIRED = {
  userMessage: "Skill.name is required.",
  issueLevel: "ERROR",
  issueType: "ATTRIBUTE_REQUIRED",
  entityName: "Skill",
  attributeNames: ["name"],
} as const;
const WARNING = { userMessage: "Careful.", issueLevel: "WARNING", issueType: "ENTITY_DOMAIN" } as const;

const asked = vi.mocked(ask);

beforeEach(() => {
  asked.mockReset();
});

function answers(...all: (object | Error)[]): void {
  for (const each of all) {
    if (each instanceof Error) asked.mockRejectedValueOnce(each);
    else asked.mockResolvedValueOnce({ data: each, issues: [], insight: null });
  }
}

const noIssues = { result: { issues: [] } };

function storedForm() {
  return renderHook(() => useObjectForm({ model, class_: skill, original: draftOf(model, skill, STORED) }))
    .result;
}

function newForm() {
  const original = newDraft(skill);
  return renderHook(() => useObjectForm({ model, class_: skill, original })).result;
}

function type(form: ReturnType<typeof storedForm>, value: unknown): void {
  act(() => form.current.actions.change(ROOT, "name", (draft) => withValue(draft, "name", value)));
}

const key = fieldKey(ROOT, "name");

test("a field is validated when it is left, and only its last state", async () => {
  const form = storedForm();
  answers({ result: { issues: [REQUIRED] } });
  type(form, "S");
  act(() => form.current.actions.leave(ROOT, "name"));
  type(form, "");
  act(() => form.current.actions.leave(ROOT, "name"));
  await waitFor(() => expect(form.current.issues.fields.get(key)).toEqual([REQUIRED]));
  expect(asked).toHaveBeenCalledTimes(1);
  expect(asked.mock.calls[0]?.[1]).toEqual({ data: { _id: "s1", name: "" } });
  // What the member changes since is not wrong until it is asked again.
  type(form, "Sum");
  expect(form.current.issues.fields.size).toBe(0);
});

test("an answer to a former state doesn't count", async () => {
  const form = storedForm();
  const late: ((value: unknown) => void)[] = [];
  asked.mockImplementation(
    () =>
      new Promise((resolve) => late.push((data) => resolve({ data, issues: [], insight: null } as never))),
  );
  type(form, "");
  act(() => form.current.actions.leave(ROOT, "name"));
  await waitFor(() => expect(late).toHaveLength(1));
  const signal = asked.mock.calls[0]?.[2];
  type(form, "Sum");
  act(() => form.current.actions.leave(ROOT, "name"));
  expect(signal?.aborted).toBe(true);
  await waitFor(() => expect(late).toHaveLength(2));
  await act(async () => {
    late[1]?.(noIssues);
    late[0]?.({ result: { issues: [REQUIRED] } });
  });
  expect(form.current.issues.fields.size).toBe(0);
});

test("what is missing in fields that nobody has visited is said when saving fails", async () => {
  const form = newForm();
  answers({ result: { issues: [REQUIRED] } }, { result: { issues: [REQUIRED] } });
  act(() => form.current.actions.change(ROOT, "other", (draft) => withValue(draft, "other", 1)));
  act(() => form.current.actions.leave(ROOT, "other"));
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
  await act(async () => undefined);
  expect(form.current.issues.fields.size).toBe(0);
  await act(async () => void (await form.current.save()));
  expect(form.current.issues.fields.get(key)).toEqual([REQUIRED]);
  expect(form.current.attempts).toBe(1);
  expect(asked.mock.calls.filter(([document]) => document.startsWith("mutation"))).toEqual([]);
});

test("warnings let the member save anyway, until something is changed", async () => {
  const form = storedForm();
  answers(new ServiceError("REFUSED", "Careful.", [WARNING]), {
    object: { ...STORED, name: "New", _revision: "r2" },
  });
  type(form, "New");
  await act(async () => void (await form.current.save()));
  expect(form.current.isForceable).toBe(true);
  expect(form.current.issues.form).toEqual([WARNING]);
  type(form, "Newer");
  expect(form.current.isForceable).toBe(false);
  type(form, "New");
  await act(async () => void (await form.current.save(true)));
  const [first, second] = asked.mock.calls;
  expect(first?.[1]).toEqual({ data: { _id: "s1", name: "New" }, ifRevision: "r1" });
  expect(second?.[1]).toMatchObject({ forceWarnings: { actionVeto: true, dataValidation: true } });
  expect(form.current.isChanged).toBe(false);
  expect(form.current.original.revision).toBe("r2");
});

test("a write whose answer was lost is sent again as the same write", async () => {
  const form = storedForm();
  const offline = new ServiceError("OFFLINE", "The service can't be reached.");
  answers(offline, offline, { object: { ...STORED, name: "New" } });
  type(form, "New");
  await act(async () => void (await form.current.save()));
  expect(form.current.failure).toBe(offline);
  expect(form.current.draft.values["name"]).toBe("New");
  await act(async () => void (await form.current.save()));
  // Another draft is another write.
  type(form, "Newest");
  await act(async () => void (await form.current.save()));
  const keys = asked.mock.calls.map((call) => call[3]);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});

test("a newer revision is shown, and nothing typed is lost", async () => {
  const form = storedForm();
  const current = { ...STORED, name: "Theirs", _revision: "r2" };
  const issue = { ...WARNING, issueLevel: "ERROR", issueType: "ENTITY_LOCK_PERSIST", current } as const;
  answers(new ServiceError("REFUSED", "It has changed.", [issue]));
  type(form, "Mine");
  await act(async () => void (await form.current.save()));
  expect(form.current.current).toEqual(current);
  expect(form.current.draft.values["name"]).toBe("Mine");
});
