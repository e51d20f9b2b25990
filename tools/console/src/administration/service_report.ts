// The report about the running service, as administrators read it: see GET auth/administration/service.

import { queryOptions } from "@tanstack/react-query";
import { sendJson } from "../service/request";
import { serviceSettings } from "../service/settings";

export interface StoreReport {
  readonly kind: "objects" | "members" | "files";
  /** The setting that selects it. */
  readonly setting: string;
  readonly place: string;
  readonly instance?: string;
  readonly layout?: number;
}

export type IndexStateName = "BUILDING" | "ENFORCED" | "READY" | "RETIRED" | "CLEARING";

export interface IndexReport {
  readonly class: string;
  /** Such as `@unique(email)`. */
  readonly name: string;
  readonly state: IndexStateName;
  readonly since?: string;
  /** How many objects of the class a build has read so far. */
  readonly builtObjects?: number;
}

export interface SettingReport {
  readonly name: string;
  readonly description: string;
  /** Absent if it is a secret. */
  readonly value?: string | null;
  readonly isDefault?: boolean;
  /** Whether a secret is set. */
  readonly isSet?: boolean;
}

export type Severity = "DECISION" | "REINDEX" | "SAFE";

export interface ChangeReport {
  readonly severity: Severity;
  readonly subject: string;
  readonly change: string;
  readonly reason: string;
  readonly toDo: string;
}

export interface ComparisonReport {
  /** Whether the model served before. Otherwise, it serves. */
  readonly previous: boolean;
  readonly lastSeen: string;
  readonly changes: readonly ChangeReport[];
}

export interface ModelReport {
  readonly file: string;
  readonly text: string | null;
  readonly comparisons: readonly ComparisonReport[];
  readonly problem?: string;
}

export interface ServiceReport {
  readonly version: string;
  readonly application: string;
  readonly health: {
    readonly store: "reachable" | "unreachable";
    readonly keys?: string;
    readonly stopping?: boolean;
  };
  readonly stores: readonly StoreReport[];
  /** Null if the store can't be reached. */
  readonly indexes: readonly IndexReport[] | null;
  readonly settings: readonly SettingReport[];
  readonly model: ModelReport;
}

export const serviceQuery = queryOptions({
  queryKey: ["service"],
  queryFn: () => sendJson<ServiceReport>(serviceSettings().addresses.service, "GET"),
  // Long enough to look at all tabs of one report. A button asks for a newer one.
  staleTime: 120_000,
});
