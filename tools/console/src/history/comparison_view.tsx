// Two states of an object beside each other, those fields first that differ.

import "../components/table.css";
import "./history.css";
import { useState } from "react";
import { ErrorState, Loading } from "../components/feedback";
import { Switch } from "../components/switch";
import type { ModelClass } from "../description/model";
import { titleOf } from "../description/sidebar";
import { useModel } from "../description/use_model";
import type { Span } from "../documents/history";
import { t } from "../messages/messages";
import { Nothing, ValueText } from "../values/value_text";
import { type Cell, compare, type Row } from "./comparison";
import { useTwoStates } from "./history_query";

interface ComparisonProps {
  readonly class_: ModelClass;
  readonly id: string;
  readonly span: Span;
  /** What the states are called, such as their instants. */
  readonly names: readonly [from: string, to: string];
  /** Whether only what differs is shown. */
  readonly isShort?: boolean;
}

/** Reads two states of an object, and shows them. */
export function Comparison({ class_, id, span, names, isShort = false }: ComparisonProps) {
  const model = useModel();
  const { data, error, refetch } = useTwoStates(model, class_, id, span);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  return <ComparisonTable rows={compare(model, class_, data)} names={names} isShort={isShort} />;
}

interface ComparisonTableProps extends Pick<ComparisonProps, "names"> {
  readonly rows: readonly Row[];
  readonly isShort: boolean;
}

function ComparisonTable({ rows, names, isShort }: ComparisonTableProps) {
  const [isWhole, setWhole] = useState(false);
  const changed = rows.filter(({ isChanged }) => isChanged);
  const shown = isWhole ? rows : changed;
  return (
    <div className="comparison">
      {!isShort && (
        <div className="toolbar">
          <Switch isSelected={isWhole} onChange={setWhole}>
            {t("Show all fields")}
          </Switch>
        </div>
      )}
      {shown.length === 0 ? (
        <p className="quiet">{t("Nothing that you can see differs.")}</p>
      ) : (
        <div className="table-frame">
          <table className="table comparison-table">
            <thead>
              <tr>
                <th scope="col">{t("Field")}</th>
                <th scope="col">{names[0]}</th>
                <th scope="col">{names[1]}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <tr key={row.key} data-changed={row.isChanged || undefined}>
                  <th scope="row">
                    {row.way.length > 0 && (
                      <span className="comparison-way user-text">{row.way.join(" › ")}</span>
                    )}
                    {titleOf(row.name)}
                  </th>
                  <td className={row.isChanged ? "comparison-old" : undefined}>
                    <span className="comparison-name">{names[0]}</span>
                    <CellText cell={row.from} />
                  </td>
                  <td className={row.isChanged ? "comparison-new" : undefined}>
                    <span className="comparison-name">{names[1]}</span>
                    <CellText cell={row.to} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function CellText({ cell }: { readonly cell: Cell }) {
  if (cell.kind === "NOTHING") return <Nothing />;
  if (cell.kind === "GONE")
    return <span className="quiet">{t("An object that is gone, or that you may not see")}</span>;
  if (cell.kind === "VALUE") return <ValueText attribute={cell.attribute} value={cell.value} />;
  if (cell.kind === "EXACT") return <span className="user-text">{cell.text}</span>;
  return (
    <span className="user-text">
      {cell.labels.join(", ")}
      {cell.hasMore && <span className="quiet"> {t("and more")}</span>}
    </span>
  );
}
