// What `stratabase model diff` says: how the model file differs from the models that serve, and served before.

import { CircleCheck } from "lucide-react";
import { Badge, Banner, EmptyState, type FeedbackKind } from "../components/feedback";
import { Section } from "../components/layout";
import "../components/table.css";
import { plural, t } from "../messages/messages";
import { Instant } from "./instant";
import { ServiceFrame } from "./service_frame";
import type { ComparisonReport, ServiceReport, Severity } from "./service_report";

export default function ChangesPage() {
  return <ServiceFrame>{(report) => <Changes report={report} />}</ServiceFrame>;
}

const SEVERITIES: Readonly<Record<Severity, { readonly kind?: FeedbackKind; readonly label: () => string }>> =
  {
    DECISION: { kind: "warning", label: () => t("Needs a decision") },
    REINDEX: { kind: "info", label: () => t("Needs a build") },
    SAFE: { label: () => t("Safe") },
  };

function Changes({ report }: { readonly report: ServiceReport }) {
  const { comparisons, problem, file } = report.model;
  return (
    <>
      <p className="quiet">
        {t("How the model file {file} differs from the models that serve or served.", { file })}
      </p>
      {problem && (
        <Banner kind="warning">
          <p>{t("The models can't be compared.")}</p>
          <pre className="model-problem">{problem}</pre>
        </Banner>
      )}
      {!problem && comparisons.length === 0 && (
        <div className="card">
          <EmptyState title={t("There is no model to compare with")}>
            {t("The store remembers each model that serves. Come back after the next change.")}
          </EmptyState>
        </div>
      )}
      {comparisons.map((comparison) => (
        <Comparison key={`${comparison.previous} ${comparison.lastSeen}`} {...comparison} />
      ))}
    </>
  );
}

function Comparison({ previous, lastSeen, changes }: ComparisonReport) {
  return (
    <Section
      title={previous ? t("Since the model before") : t("Since the model that serves")}
      description={
        <>
          {previous ? t("It served last:") : t("It serves, last seen:")} <Instant iso={lastSeen} />
        </>
      }
      actions={
        changes.length > 0 && (
          <span className="quiet">{plural(changes.length, "{count} change", "{count} changes")}</span>
        )
      }
    >
      {changes.length === 0 ? (
        <p className="no-changes">
          <CircleCheck size={16} aria-hidden /> {t("The model file has no changes.")}
        </p>
      ) : (
        <div className="table-frame">
          <table className="table changes">
            <thead>
              <tr>
                <th>{t("Urgency")}</th>
                <th>{t("What has changed")}</th>
                <th>{t("Why it matters")}</th>
                <th>{t("What to do")}</th>
              </tr>
            </thead>
            <tbody>
              {changes.map(({ severity, subject, change, reason, toDo }) => (
                <tr key={`${subject} ${change}`}>
                  <td className="is-narrow">
                    <Badge {...SEVERITIES[severity]}>{SEVERITIES[severity].label()}</Badge>
                  </td>
                  <td>
                    <code className="user-text">{subject}</code>
                    <p className="user-text">{change}</p>
                  </td>
                  <td className="user-text">{reason}</td>
                  <td className="user-text">{toDo}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}
