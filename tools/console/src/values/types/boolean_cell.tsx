import { Check, X } from "lucide-react";
import { t } from "../../messages/messages";
import type { CellProps } from "../value_type";

/** A mark that is seen at a glance, and the word beside it. */
export function BooleanCell({ value }: CellProps) {
  const Mark = value ? Check : X;
  return (
    <span className={value ? "boolean-cell boolean-cell-yes" : "boolean-cell"}>
      <Mark size={14} aria-hidden />
      {value ? t("Yes") : t("No")}
    </span>
  );
}
