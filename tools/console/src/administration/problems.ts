// What an administrator should do something about, in plain words, from the report of the service.

import { plural, t } from "../messages/messages";
import type { ServiceReport, Severity } from "./service_report";

export interface Problem {
  readonly kind: "error" | "warning" | "info";
  readonly text: string;
  /** The part of the service's pages that says more. */
  readonly part?: "indexes" | "changes";
}

/** Returns the problems of a service, the most urgent first. */
export function problemsOf(report: ServiceReport): readonly Problem[] {
  return [...healthProblems(report), ...modelProblems(report), ...indexProblems(report)];
}

function* healthProblems({ health }: ServiceReport): Iterable<Problem> {
  if (health.store === "unreachable") {
    yield {
      kind: "error",
      text: t(
        "The store of the objects can't be reached, so nothing can be read or written. Look at the log of the service for the reason.",
      ),
    };
  }
  if (health.keys) {
    yield {
      kind: "error",
      text: t(
        "The keys that sign tokens can't be read, so nobody can sign in. Check the access to the keys.",
      ),
    };
  }
  if (health.stopping) yield { kind: "warning", text: t("The process that answered is about to stop.") };
}

function* modelProblems(report: ServiceReport): Iterable<Problem> {
  // Without the store, the models can't be compared, and that is said already.
  if (report.model.problem && report.health.store === "reachable") {
    yield {
      kind: "warning",
      text: t("The model file can't be compared with the model that serves."),
      part: "changes",
    };
  }
  const changes = report.model.comparisons
    .filter(({ previous }) => !previous)
    .flatMap((each) => each.changes);
  const count = (severity: Severity): number => changes.filter((each) => each.severity === severity).length;
  const [decisions, builds, safe] = [count("DECISION"), count("REINDEX"), count("SAFE")];
  if (decisions > 0) {
    yield {
      kind: "warning",
      text: plural(
        decisions,
        "The model file has {count} change that needs a decision.",
        "The model file has {count} changes that need a decision.",
      ),
      part: "changes",
    };
  }
  if (builds > 0 || safe > 0) {
    yield {
      kind: "info",
      text: plural(
        builds + safe,
        "The model file has {count} change that isn't served yet.",
        "The model file has {count} changes that aren't served yet.",
      ),
      part: "changes",
    };
  }
}

function* indexProblems({ indexes }: ServiceReport): Iterable<Problem> {
  const unfinished = (indexes ?? []).filter(({ state }) => state !== "READY");
  if (unfinished.length > 0) {
    yield {
      kind: "warning",
      text: plural(
        unfinished.length,
        "{count} index or constraint isn't ready.",
        "{count} indexes or constraints aren't ready.",
      ),
      part: "indexes",
    };
  }
}
