// The panel that summarizes a list: what the objects are grouped by, which totals there are, and the groups.

import "./summary.css";
import { X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { IconButton } from "../../components/button";
import { Section } from "../../components/layout";
import { t } from "../../messages/messages";
import type { List } from "../list";
import { GroupsTable } from "./groups_table";
import { Having } from "./having";
import {
  columnOf,
  keyText,
  NO_SUMMARY,
  offeredKeys,
  offeredTotals,
  type Summary,
  totalText,
} from "./summary";
import { keyTitle, totalTitle } from "./summary_texts";

interface SummaryPanelProps {
  readonly list: List;
  readonly summary: Summary;
}

export default function SummaryPanel({ list, summary }: SummaryPanelProps) {
  const { class_, change } = list;
  const set = (changed: Partial<Summary>) => change({ summary: consistent({ ...summary, ...changed }) });
  return (
    <Section
      title={t("Summary")}
      actions={
        <IconButton
          icon={X}
          isSmall
          label={t("Close the summary")}
          onPress={() => change({ summary: null })}
        />
      }
    >
      <div className="summary-choices">
        <Choices
          label={t("Group by")}
          add={t("Add a group…")}
          chosen={summary.keys}
          offered={offeredKeys(class_)}
          textOf={keyText}
          titleOf={keyTitle}
          onChange={(keys) => set({ keys })}
        />
        <Choices
          label={t("Totals")}
          add={t("Add a total…")}
          chosen={summary.totals}
          offered={offeredTotals(class_)}
          textOf={totalText}
          titleOf={totalTitle}
          onChange={(totals) => set({ totals })}
        />
        {summary.keys.length > 0 && <Having summary={summary} onChange={(having) => set({ having })} />}
      </div>
      {summary.keys.length + summary.totals.length > 0 ? (
        <GroupsTable list={list} summary={summary} onChange={set} />
      ) : (
        <p className="quiet">{t("Choose what to group the objects by, or which totals to show.")}</p>
      )}
    </Section>
  );
}

/** Returns the summary without an order or a condition on a total that was removed. */
function consistent(summary: Summary): Summary {
  const columns = new Set(["_keys", "_count", ...summary.totals.map(columnOf)]);
  return {
    ...summary,
    order: columns.has(summary.order.column) ? summary.order : NO_SUMMARY.order,
    having: summary.having && columns.has(summary.having.column) ? summary.having : null,
  };
}

interface ChoicesProps<T> {
  readonly label: string;
  readonly add: string;
  readonly chosen: readonly T[];
  readonly offered: readonly T[];
  readonly textOf: (each: T) => string;
  readonly titleOf: (each: T) => string;
  readonly onChange: (chosen: readonly T[]) => void;
}

/** What is chosen, and a select to add more. */
function Choices<T>({ label, add, chosen, offered, textOf, titleOf, onChange }: ChoicesProps<T>): ReactNode {
  const id = useId();
  const texts = new Set(chosen.map(textOf));
  const others = offered.filter((each) => !texts.has(textOf(each)));
  return (
    <div className="summary-choice">
      <label htmlFor={id} className="field-label">
        {label}
      </label>
      <div className="filter-bar">
        {chosen.map((each) => (
          <span key={textOf(each)} className="filter-chip">
            <span className="filter-chip-text">{titleOf(each)}</span>
            <IconButton
              icon={X}
              isSmall
              label={t("Remove {name}", { name: titleOf(each) })}
              onPress={() => onChange(chosen.filter((other) => other !== each))}
            />
          </span>
        ))}
        <select
          id={id}
          className="input summary-add"
          value=""
          onChange={(event) => {
            const found = others.find((each) => textOf(each) === event.target.value);
            if (found) onChange([...chosen, found]);
          }}
        >
          <option value="">{add}</option>
          {others.map((each) => (
            <option key={textOf(each)} value={textOf(each)}>
              {titleOf(each)}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}
