// What a request has cost, as `extensions.insight` reports it to administrators.

import type { Insight } from "../../service/graphql";

export interface StoreCall {
  /** The response key of the service that made the call. */
  readonly path: readonly string[];
  readonly kind: string;
  readonly index: string | null;
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly items: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

export interface MissingIndex {
  readonly entityName: string;
  readonly attributeNames: readonly string[];
}

export interface TakenPlan {
  readonly path: readonly string[];
  readonly entityName: string;
  /** In English. */
  readonly description: string;
  readonly missingIndex: MissingIndex | null;
}

export interface Cost {
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly items: number;
  readonly bytes: number;
  readonly milliseconds: number;
  readonly calls: readonly StoreCall[];
  readonly plans: readonly TakenPlan[];
}

/** Returns the cost in an answer. Throws if the answer has none, as when the service is an older one. */
export function costOf(insight: Insight | null): Cost {
  if (!insight) throw new Error("The answer has no insight.");
  return { calls: [], plans: [], ...insight } as unknown as Cost;
}

/** Returns the indexes that the model lacks, each once, as directives with the class to which they belong. */
export function adviceOf(cost: Cost): readonly { readonly className: string; readonly directive: string }[] {
  const found = new Map<string, { className: string; directive: string }>();
  for (const { missingIndex } of cost.plans) {
    if (!missingIndex) continue;
    const names = missingIndex.attributeNames.map((name) => `"${name}"`).join(", ");
    const directive = `@index(attributes: [${names}])`;
    found.set(`${missingIndex.entityName} ${names}`, { className: missingIndex.entityName, directive });
  }
  return [...found.values()];
}
