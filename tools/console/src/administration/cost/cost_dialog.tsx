// What the query of a page costs: its totals, how it finds the objects, which index is missing, and each call.

import "../administration.css";
import "../../components/table.css";
import { useQuery } from "@tanstack/react-query";
import { Dialog } from "../../components/dialog";
import { Badge, Banner, ErrorState, Loading } from "../../components/feedback";
import { Facts } from "../../components/layout";
import { currentLanguage, plural, t } from "../../messages/messages";
import { ask, type Variables } from "../../service/graphql";
import { CopyButton } from "../copy_button";
import { adviceOf, type Cost, costOf, type StoreCall } from "./cost";
import { withInsight } from "./with_insight";

interface CostDialogProps {
  readonly document: string;
  readonly variables: Variables;
  readonly onClose: () => void;
}

export default function CostDialog({ document, variables, onClose }: CostDialogProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ["cost", document, variables],
    queryFn: async ({ signal }) => costOf((await ask(withInsight(document), variables, signal)).insight),
    // Each press measures anew.
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Dialog title={t("What this page costs")} isOpen onClose={onClose} isWide>
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <CostReport cost={data} />
      ) : (
        <Loading>{t("Measuring…")}</Loading>
      )}
    </Dialog>
  );
}

function CostReport({ cost }: { readonly cost: Cost }) {
  const advice = adviceOf(cost);
  return (
    <>
      <Facts
        facts={[
          [t("Round trips to the store"), number(cost.roundTrips)],
          [t("Items read"), number(cost.items)],
          [t("Data read"), t("{size} KB", { size: number(cost.bytes / 1000) })],
          [t("Read units"), number(cost.readUnits)],
          [t("Time in the store"), t("{duration} ms", { duration: number(cost.milliseconds) })],
        ]}
      />
      {advice.map(({ className, directive }) => (
        <Banner key={`${className} ${directive}`} kind="warning" actions={<CopyButton text={directive} />}>
          {t(
            "With many objects of {class}, this reads far more than it shows. Add to {class} in the model:",
            {
              class: className,
            },
          )}
          <code className="advised-index">{directive}</code>
        </Banner>
      ))}
      {advice.length === 0 && <Banner kind="done">{t("No index is missing.")}</Banner>}
      <Plans cost={cost} />
      <Calls calls={cost.calls} />
      <p className="quiet cost-note">
        {t(
          "The units are those of DynamoDB's price list, for every store. One read unit is a read of up to 4 KB. Round trips at the same time count as one.",
        )}
      </p>
    </>
  );
}

function Plans({ cost }: { readonly cost: Cost }) {
  if (cost.plans.length === 0) return null;
  return (
    <div className="cost-part">
      <h3>{t("How the objects are found")}</h3>
      <ul className="plans">
        {cost.plans.map(({ entityName, description, missingIndex }) => (
          <li key={`${entityName} ${description}`}>
            <Badge {...(missingIndex ? { kind: "warning" as const } : {})}>{entityName}</Badge>
            <span lang="en">{description}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const KINDS: Readonly<Record<string, () => string>> = {
  get: () => t("by key"),
  range: () => t("range of an index"),
  count: () => t("count in an index"),
  commit: () => t("write"),
};

function Calls({ calls }: { readonly calls: readonly StoreCall[] }) {
  return (
    <details className="cost-part">
      <summary>{plural(calls.length, "{count} call to the store", "{count} calls to the store")}</summary>
      <div className="table-frame">
        <table className="table">
          <thead>
            <tr>
              <th>{t("Call")}</th>
              <th>{t("Index")}</th>
              <th className="is-numeric">{t("Items")}</th>
              <th className="is-numeric">{t("Bytes")}</th>
              <th className="is-numeric">{t("Read units")}</th>
              <th className="is-numeric">{t("Milliseconds")}</th>
            </tr>
          </thead>
          <tbody>
            {calls.map((call, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: calls have no other identity, and never move.
              <tr key={index}>
                <td>{KINDS[call.kind]?.() ?? call.kind}</td>
                <td>{call.index ? <code>{call.index}</code> : <span className="cell-nothing">–</span>}</td>
                <td className="is-numeric">{number(call.items)}</td>
                <td className="is-numeric">{number(call.bytes)}</td>
                <td className="is-numeric">{number(call.readUnits)}</td>
                <td className="is-numeric">{number(call.milliseconds)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function number(value: number): string {
  return new Intl.NumberFormat(currentLanguage(), { maximumFractionDigits: 1 }).format(value);
}
