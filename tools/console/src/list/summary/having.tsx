// A condition on the count or on a total of the groups that a summary shows.

import { useEffect, useState } from "react";
import { t } from "../../messages/messages";
import { parseDecimal, showEditedDecimal } from "../../values/decimals";
import { columnOf, type HavingOperator, type Summary } from "./summary";
import { totalTitle } from "./summary_texts";

interface HavingProps {
  readonly summary: Summary;
  readonly onChange: (having: Summary["having"]) => void;
}

/** Milliseconds without a key after which the groups are asked for. */
const PAUSE = 500;
/** Totals that are numbers, whatever the attribute. */
const NUMBERS = new Set(["sum", "avg", "countDistinct"]);

export function Having({ summary: { having, totals }, onChange }: HavingProps) {
  const [column, setColumn] = useState(having?.column ?? "_count");
  const [operator, setOperator] = useState<HavingOperator>(having?.operator ?? "gte");
  const [text, setText] = useState(having ? showEditedDecimal(having.value) : "");
  const columns = [
    { value: "_count", label: t("Count") },
    ...totals
      .filter((total) => NUMBERS.has(total.function))
      .map((total) => ({ value: columnOf(total), label: totalTitle(total) })),
  ];
  const value = text.trim() ? parseDecimal(text) : null;
  const isWrong = text.trim() !== "" && (value === null || (isCount(column) && !/^-?\d{1,9}$/.test(value)));
  const wanted = value === null || isWrong ? null : { column, operator, value };
  const isSame = JSON.stringify(wanted) === JSON.stringify(having);
  useEffect(() => {
    if (isSame || isWrong) return;
    const timer = setTimeout(() => onChange(wanted), PAUSE);
    return () => clearTimeout(timer);
  });
  return (
    <fieldset className="summary-choice summary-having">
      <legend className="field-label">{t("Only groups with")}</legend>
      <select
        className="input"
        aria-label={t("Column")}
        value={columns.some((each) => each.value === column) ? column : "_count"}
        onChange={(event) => setColumn(event.target.value)}
      >
        {columns.map((each) => (
          <option key={each.value} value={each.value}>
            {each.label}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label={t("Condition")}
        value={operator}
        onChange={(event) => setOperator(event.target.value as HavingOperator)}
      >
        <option value="gte">{t("at least")}</option>
        <option value="lte">{t("at most")}</option>
      </select>
      <input
        className="input summary-number"
        aria-label={t("Number")}
        aria-invalid={isWrong || undefined}
        inputMode="decimal"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </fieldset>
  );
}

function isCount(column: string): boolean {
  return column === "_count" || column.endsWith("___COUNT_DISTINCT");
}
