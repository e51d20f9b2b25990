// Writes many objects in batches, so that progress is seen, no limit of the service is met, and a lost connection
// loses nothing: each batch can be sent again.

import type { ModelClass } from "../../description/model";
import { type BulkKind, checkManyDocument, idsDocument, writeManyDocument } from "../../documents/bulk";
import { type Issue, ServiceError } from "../../service/errors";
import { ask, askInPart } from "../../service/graphql";
import { newKey } from "../../service/idempotency_key";

type Input = Readonly<Record<string, unknown>>;

/** What is done with which objects. */
export interface BulkTask {
  readonly class_: ModelClass;
  readonly kind: BulkKind;
  /** The options of the API that select the objects. */
  readonly options: Input;
  /** What changes, as UpdateBulk has it. */
  readonly data?: Input;
  /** Lets warnings pass that don't block. */
  readonly isForced?: boolean;
}

export interface BulkCheck {
  /** How many objects match; null if the service doesn't count as many. */
  readonly count: number | null;
  readonly issues: readonly Issue[];
  /** Whether more objects match than were checked. */
  readonly isCut: boolean;
}

export interface BulkProgress {
  /** Objects that were reached. Some of them may have been refused, or no longer match. */
  readonly reached: number;
  readonly done: number;
  readonly issues: readonly Issue[];
}

/** Objects whose write is tried out before the member confirms. */
const CHECKED = 500;
/** Objects that are written by one request. */
const BATCH = 100;
/** Issues that are kept to be shown. */
const KEPT = 100;
const NOTHING: BulkProgress = { reached: 0, done: 0, issues: [] };

/** Returns how many objects a task is about, and what their writes would meet. */
export async function checkMany(
  { class_, kind, options, data }: BulkTask,
  signal?: AbortSignal,
): Promise<BulkCheck> {
  const variables = { ...(data && { data }), options, checked: { ...options, next: CHECKED } };
  const answer = await ask<{
    readonly page: { readonly totalCount: number | null } | null;
    readonly result?: { readonly issues: readonly Issue[] } | null;
  }>(checkManyDocument(class_, kind), variables, signal);
  const count = answer.data.page?.totalCount ?? null;
  const issues = answer.data.result?.issues ?? answer.issues;
  return { count, issues, isCut: count === null || count > CHECKED };
}

/** A run over the objects of a task. After a failure, `run` goes on where it stopped. */
export class BulkRun {
  #progress = NOTHING;
  #cursor: string | null = null;
  #isOver = false;
  /** The batch that was begun and isn't over. */
  #batch: Batch | null = null;
  /** The key of the request whose answer hasn't come. It is sent again with the same key, and so is done once. */
  #key: string | null = null;

  constructor(
    readonly task: BulkTask,
    readonly onProgress: (progress: BulkProgress) => void,
  ) {}

  /** Whether all objects have been reached. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Writes all objects that are left. Throws a ServiceError if the service doesn't answer. */
  async run(signal: AbortSignal): Promise<BulkProgress> {
    while (!this.#isOver && !signal.aborted) {
      this.#batch ??= await this.#read();
      await this.#writeBatch(this.#batch);
      this.#cursor = this.#batch.cursor;
      this.#isOver = !this.#batch.hasNext;
      this.#batch = null;
    }
    return this.#progress;
  }

  async #read(): Promise<Batch> {
    const { class_, options } = this.task;
    const { data } = await ask<{
      readonly page: {
        readonly items: readonly { readonly _id: string }[];
        readonly nextCursor: string | null;
        readonly hasNext: boolean;
      };
    }>(idsDocument(class_), {
      options: {
        ...options,
        orderBy: ["_id___ASC"],
        next: BATCH,
        ...(this.#cursor !== null && { cursor: this.#cursor }),
      },
    });
    const { items, nextCursor, hasNext } = data.page;
    const left = items.map(({ _id }) => _id);
    return { size: left.length, left, done: 0, issues: [], cursor: nextCursor, hasNext };
  }

  /** Writes a batch. If the service runs out of time, it is asked again for the rest. */
  async #writeBatch(batch: Batch): Promise<void> {
    while (batch.left.length > 0) {
      const { done, ids, issues } = await this.#write(batch.left);
      batch.done += done;
      batch.issues.push(...issues.filter(({ entityID }) => entityID || done === 0));
      // All are done or refused, or nothing comes of it any more.
      if (issues.length === 0 || done === 0) break;
      const settled = new Set([...ids, ...issues.map(({ entityID }) => entityID)]);
      batch.left = batch.left.filter((id) => !settled.has(id));
    }
    this.#progress = {
      reached: this.#progress.reached + batch.size,
      done: this.#progress.done + batch.done,
      issues: [...this.#progress.issues, ...batch.issues].slice(0, KEPT),
    };
    this.onProgress(this.#progress);
  }

  async #write(ids: readonly string[]): Promise<BulkWritten> {
    const { class_, kind, data, isForced } = this.task;
    const variables = {
      ...(data && { data }),
      options: this.#selected(ids),
      ...(isForced && { forceWarnings: { actionVeto: true, dataValidation: true } }),
    };
    this.#key ??= newKey();
    try {
      const answer = await askInPart<{ readonly result: Result | null }>(
        writeManyDocument(class_, kind),
        variables,
        this.#key,
      );
      this.#key = null;
      const { done = 0, items = [] } = answer.data.result ?? {};
      return { done, ids: items.map(({ _id }) => _id), issues: answer.issues };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== "REFUSED" || error.issues.length === 0)
        throw error;
      // Nothing was written, and the issues say why.
      this.#key = null;
      return { done: 0, ids: [], issues: error.issues };
    }
  }

  /** Returns the options for some objects, as far as they still match what the member saw. */
  #selected(ids: readonly string[]): Input {
    const { filter, filter_exp } = this.task.options;
    const batch = { _id___in: ids };
    return { filter: filter ? { AND: [filter, batch] } : batch, ...(filter_exp ? { filter_exp } : {}) };
  }
}

interface Batch {
  readonly size: number;
  /** The objects that are neither written nor refused, as far as is known. */
  left: readonly string[];
  done: number;
  readonly issues: Issue[];
  /** Where the next one begins. */
  readonly cursor: string | null;
  readonly hasNext: boolean;
}

interface Result {
  readonly done: number;
  readonly items?: readonly { readonly _id: string }[];
}

interface BulkWritten {
  readonly done: number;
  /** The objects that were updated. Deleted ones no longer match. */
  readonly ids: readonly string[];
  readonly issues: readonly Issue[];
}
