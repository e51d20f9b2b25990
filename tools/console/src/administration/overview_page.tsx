// The overview of the service: what needs attention, its version, and where it stores what.

import { CircleCheck } from "lucide-react";
import { Link } from "wouter";
import { paths } from "../app/routes";
import { Badge, Banner } from "../components/feedback";
import { Facts, Section } from "../components/layout";
import "../components/table.css";
import { t } from "../messages/messages";
import { type Problem, problemsOf } from "./problems";
import { ServiceFrame } from "./service_frame";
import type { ServiceReport, StoreReport } from "./service_report";

export default function OverviewPage() {
  return <ServiceFrame>{(report) => <Overview report={report} />}</ServiceFrame>;
}

function Overview({ report }: { readonly report: ServiceReport }) {
  const problems = problemsOf(report);
  return (
    <>
      {problems.length === 0 ? (
        <Banner kind="done">{t("The service is ready. Nothing needs your attention.")}</Banner>
      ) : (
        problems.map((problem) => <ProblemBanner key={problem.text} {...problem} />)
      )}
      <Section title={t("Service")}>
        <Facts
          facts={[
            [t("Application"), report.application],
            [t("Version"), report.version],
            [t("Store of the objects"), <StoreHealth key="health" report={report} />],
            [t("Model file"), <code key="file">{report.model.file}</code>],
            [t("Indexes and constraints"), report.indexes && String(report.indexes.length)],
          ]}
        />
      </Section>
      <Section
        title={t("Stores")}
        description={t("Where the service keeps its data, and the setting that says so.")}
      >
        <div className="table-frame">
          <table className="table">
            <thead>
              <tr>
                <th>{t("Content")}</th>
                <th>{t("Place")}</th>
                <th>{t("Setting")}</th>
                <th>{t("Instance")}</th>
                <th className="is-numeric">{t("Layout")}</th>
              </tr>
            </thead>
            <tbody>
              {report.stores.map((store) => (
                <tr key={store.kind}>
                  <td>{contentOf(store)}</td>
                  <td className="store-place">
                    <code className="user-text">{store.place}</code>
                  </td>
                  <td>
                    <code>{store.setting}</code>
                  </td>
                  <td>{store.instance ? <code>{store.instance}</code> : <Nothing />}</td>
                  <td className="is-numeric">{store.layout ?? <Nothing />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
    </>
  );
}

function ProblemBanner({ kind, text, part }: Problem) {
  const link = part && (
    <Link href={paths.service(part)} className="nowrap">
      {part === "indexes" ? t("Show the indexes") : t("Show the changes")}
    </Link>
  );
  return (
    <Banner kind={kind} actions={link}>
      {text}
    </Banner>
  );
}

function StoreHealth({ report }: { readonly report: ServiceReport }) {
  if (report.health.store === "reachable") {
    return (
      <Badge kind="done" icon={CircleCheck}>
        {t("Reachable")}
      </Badge>
    );
  }
  return <Badge kind="error">{t("Unreachable")}</Badge>;
}

function contentOf({ kind }: StoreReport): string {
  if (kind === "objects") return t("Objects");
  return kind === "members" ? t("Members") : t("Files");
}

function Nothing() {
  return <span className="cell-nothing">–</span>;
}
