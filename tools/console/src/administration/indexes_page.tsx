// The indexes and constraints of the model, their states, and what to run for those that aren't ready.

import { CircleAlert } from "lucide-react";
import { Link } from "wouter";
import { paths } from "../app/routes";
import { Badge, EmptyState, type FeedbackKind } from "../components/feedback";
import "../components/table.css";
import { useModel } from "../description/use_model";
import { plural, t } from "../messages/messages";
import { Instant } from "./instant";
import { ServiceFrame } from "./service_frame";
import type { IndexReport, IndexStateName, ServiceReport } from "./service_report";

export default function IndexesPage() {
  return <ServiceFrame>{(report) => <Indexes report={report} />}</ServiceFrame>;
}

interface StateTexts {
  readonly kind?: FeedbackKind;
  readonly label: () => string;
  readonly meaning: () => string;
  /** Whether `stratabase reindex` brings it further. */
  readonly isReindexed: boolean;
}

const STATES: Readonly<Record<IndexStateName, StateTexts>> = {
  READY: { kind: "done", label: () => t("Ready"), meaning: () => "", isReindexed: false },
  BUILDING: {
    kind: "info",
    label: () => t("Building"),
    meaning: () => t("Objects from before it was added may be missing in it, so queries don't use it yet."),
    isReindexed: true,
  },
  ENFORCED: {
    kind: "warning",
    label: () => t("Duplicates"),
    meaning: () =>
      t(
        "New values must be unique, but some objects have equal values. Change or delete all but one of them.",
      ),
    isReindexed: true,
  },
  RETIRED: {
    label: () => t("Retired"),
    meaning: () => t("The model no longer has it. Until it is removed, each write still maintains it."),
    isReindexed: true,
  },
  CLEARING: {
    label: () => t("Being removed"),
    meaning: () => t("Another one has replaced it."),
    isReindexed: true,
  },
};

function Indexes({ report }: { readonly report: ServiceReport }) {
  const { indexes } = report;
  if (!indexes) {
    return (
      <div className="card">
        <EmptyState icon={CircleAlert} title={t("The store can't be reached")}>
          {t("It knows the states of the indexes. Look at the log of the service for the reason.")}
        </EmptyState>
      </div>
    );
  }
  if (indexes.length === 0) {
    return (
      <div className="card">
        <EmptyState title={t("The model has no index")}>
          {t("Add @index and @unique to classes, so that pages of many objects are found fast.")}
        </EmptyState>
      </div>
    );
  }
  const unfinished = indexes.filter(({ state }) => state !== "READY");
  return (
    <>
      <p className="quiet">
        {unfinished.length === 0
          ? plural(
              indexes.length,
              "{count} index or constraint, ready.",
              "{count} indexes and constraints, all ready.",
            )
          : plural(unfinished.length, "{count} of {all} isn't ready.", "{count} of {all} aren't ready.", {
              all: indexes.length,
            })}
      </p>
      <div className="table-frame">
        <table className="table">
          <thead>
            <tr>
              <th>{t("Class")}</th>
              <th>{t("Index or constraint")}</th>
              <th>{t("State")}</th>
              <th>{t("Since")}</th>
              <th>{t("What to do")}</th>
            </tr>
          </thead>
          <tbody>
            {[...unfinished, ...indexes.filter(({ state }) => state === "READY")].map((index) => (
              <IndexRow key={`${index.class} ${index.name}`} index={index} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function IndexRow({ index }: { readonly index: IndexReport }) {
  const model = useModel();
  const { kind, label, meaning, isReindexed } = STATES[index.state];
  const built = index.builtObjects;
  return (
    <tr>
      <td>
        {model.find(index.class) ? <Link href={paths.list(index.class)}>{index.class}</Link> : index.class}
      </td>
      <td className="index-name">
        <code className="user-text">{index.name}</code>
      </td>
      <td className="is-narrow">
        <Badge {...(kind ? { kind } : {})}>{label()}</Badge>
        {built !== undefined && (
          <small className="quiet index-progress">
            {plural(built, "{count} object so far", "{count} objects so far")}
          </small>
        )}
      </td>
      <td className="is-narrow">{index.since && <Instant iso={index.since} />}</td>
      <td className="index-advice">
        {meaning()}
        {isReindexed && (
          <span className="index-command">
            {t("Run:")} <code>stratabase reindex {index.class}</code>
          </span>
        )}
      </td>
    </tr>
  );
}
