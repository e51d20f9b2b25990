import { beforeEach, expect, test, vi } from "vitest";
import { canWriteMany, checkManyDocument, idsDocument, writeManyDocument } from "../../src/documents/bulk";
import { type BulkProgress, BulkRun, type BulkTask, checkMany } from "../../src/list/bulk/bulk_write";
import { type Issue, ServiceError } from "../../src/service/errors";
import * as graphql from "../../src/service/graphql";
import { EVERYTHING, expectValid, GOLDENS } from "../documents/golden";

const TEAM = EVERYTHING.model.of("Team");
const OPTIONS = { filter: { name___starts_with: "A" }, filter_exp: "headcount > 1" };

test.each(GOLDENS)("the documents fit $name", (golden) => {
  for (const class_ of golden.model.classes) {
    for (const kind of ["update", "delete"] as const) {
      if (!canWriteMany(class_, kind)) continue;
      expectValid(golden, checkManyDocument(class_, kind));
      expectValid(golden, writeManyDocument(class_, kind));
      expectValid(golden, idsDocument(class_));
    }
  }
});

/** A service with objects, which answers as the real one, and does what a test wants besides. */
class FakeService {
  readonly keys: string[] = [];
  readonly options: unknown[] = [];
  /** What happens to a request of ids: the number that it reaches, and the ids that it refuses. */
  limit = Number.POSITIVE_INFINITY;
  refused = new Set<string>();
  lost = 0;
  #answers = new Map<string, unknown>();

  constructor(
    readonly kind: "update" | "delete",
    public ids: string[],
  ) {}

  read({ next, cursor }: { next: number; cursor?: string }) {
    const after = this.ids.filter((id) => cursor === undefined || id > cursor);
    const items = after.slice(0, next).map((_id) => ({ _id }));
    return { items, nextCursor: items.at(-1)?._id ?? null, hasNext: after.length > next };
  }

  write(options: { filter: { AND: [unknown, { _id___in: string[] }] } }, key: string) {
    this.keys.push(key);
    this.options.push(options);
    const answer = this.#answers.get(key) ?? this.#write(options.filter.AND[1]._id___in);
    this.#answers.set(key, answer);
    if (this.lost-- > 0) throw new ServiceError("OFFLINE", "No connection.");
    if (answer instanceof ServiceError) throw answer;
    return answer;
  }

  #write(asked: readonly string[]) {
    const present = asked.filter((id) => this.ids.includes(id));
    const reached = present.slice(0, this.limit);
    const written = reached.filter((id) => !this.refused.has(id));
    if (this.kind === "delete") this.ids = this.ids.filter((id) => !written.includes(id));
    const issues = reached.filter((id) => this.refused.has(id)).map((id) => issueOf(id));
    if (issues.length > 0 || reached.length < present.length) issues.unshift(issueOf(null));
    if (issues.length > 0 && written.length === 0) return new ServiceError("REFUSED", "No.", issues);
    const items = written.map((_id) => ({ _id }));
    return { data: { result: { done: written.length, ...(this.kind === "update" && { items }) } }, issues };
  }
}

function issueOf(id: string | null): Issue {
  return { userMessage: `No: ${id}`, issueLevel: "ERROR", issueType: "ENTITY_DOMAIN", entityID: id };
}

function start(kind: "update" | "delete", count: number) {
  const ids = Array.from({ length: count }, (_, index) => String(index).padStart(5, "0"));
  const service = new FakeService(kind, ids);
  vi.spyOn(graphql, "ask").mockImplementation(async (_document, variables) => {
    const { options } = variables as { options: { next: number; cursor?: string } };
    return { data: { page: service.read(options) } as never, issues: [], insight: null };
  });
  vi.spyOn(graphql, "askInPart").mockImplementation(async (_document, variables, key) => {
    const { options } = variables as { options: Parameters<FakeService["write"]>[0] };
    return service.write(options, key) as never;
  });
  const task: BulkTask = { class_: TEAM, kind, options: OPTIONS, ...(kind === "update" && { data: {} }) };
  const seen: BulkProgress[] = [];
  const run = new BulkRun(task, (progress) => seen.push(progress));
  return { service, run, seen, go: () => run.run(new AbortController().signal) };
}

beforeEach(() => {
  vi.restoreAllMocks();
});

test.each(["update", "delete"] as const)("an %s reaches all objects in batches", async (kind) => {
  const { service, seen, go } = start(kind, 250);
  expect(await go()).toEqual({ reached: 250, done: 250, issues: [] });
  expect(seen.map(({ reached }) => reached)).toEqual([100, 200, 250]);
  expect(service.options[2]).toMatchObject({
    filter: { AND: [OPTIONS.filter, { _id___in: expect.arrayContaining(["00249"]) }] },
    filter_exp: OPTIONS.filter_exp,
  });
  expect(service.ids).toHaveLength(kind === "delete" ? 0 : 250);
});

test.each(["update", "delete"] as const)(
  "an %s that is refused for some goes on with the others",
  async (kind) => {
    const { service, go } = start(kind, 120);
    service.refused = new Set(["00003", "00110"]);
    const { done, reached, issues } = await go();
    expect([done, reached, issues.map(({ entityID }) => entityID)]).toEqual([118, 120, ["00003", "00110"]]);
  },
);

test.each(["update", "delete"] as const)("an %s goes on when the service runs out of time", async (kind) => {
  const { service, go } = start(kind, 100);
  service.limit = 30;
  service.refused = new Set(["00005"]);
  const { done, issues } = await go();
  expect([done, issues.map(({ entityID }) => entityID)]).toEqual([99, ["00005"]]);
  expect(service.keys.length).toBeLessThan(7);
});

test.each(["update", "delete"] as const)(
  "an %s is repeated under its key when the answer is lost",
  async (kind) => {
    const { service, run, go } = start(kind, 150);
    service.limit = 70;
    service.lost = 1;
    await expect(go()).rejects.toThrow("No connection.");
    expect(await run.run(new AbortController().signal)).toEqual({ reached: 150, done: 150, issues: [] });
    expect(service.keys[0]).toBe(service.keys[1]);
    expect(new Set(service.keys).size).toBe(service.keys.length - 1);
  },
);

test("a run in which nothing can be written ends", async () => {
  const { service, go } = start("delete", 130);
  service.refused = new Set(service.ids);
  const { done, reached, issues } = await go();
  expect([done, reached, issues.length]).toEqual([0, 130, 100]);
});

test("a run can be stopped between batches", async () => {
  const { run } = start("delete", 300);
  const controller = new AbortController();
  const stopped = new BulkRun(run.task, () => controller.abort());
  expect((await stopped.run(controller.signal)).reached).toBe(100);
});

test("a check counts, and tries the first objects", async () => {
  const ask = vi.spyOn(graphql, "ask").mockResolvedValue({
    data: { page: { totalCount: 1234 }, result: { issues: [issueOf("1")] } },
    issues: [],
    insight: null,
  } as never);
  const task: BulkTask = { class_: TEAM, kind: "update", options: OPTIONS, data: { name: "x" } };
  expect(await checkMany(task)).toEqual({ count: 1234, issues: [issueOf("1")], isCut: true });
  expect(ask.mock.calls[0]?.[1]).toEqual({
    data: { name: "x" },
    options: OPTIONS,
    checked: { ...OPTIONS, next: 500 },
  });
});
