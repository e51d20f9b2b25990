// Values as they stand in tables and on pages.

import "./values.css";
import type { Attribute } from "../description/model";
import { t } from "../messages/messages";
import { valueTypeOf } from "./registry";

interface ValueTextProps {
  readonly attribute: Attribute;
  /** A value of a selection that is shown. */
  readonly value: unknown;
}

/** Shows a value of an attribute, or a dash if there is none. */
export function ValueText({ attribute, value }: ValueTextProps) {
  if (value === null || value === undefined || value === "") return <Nothing />;
  const { Cell, toText } = valueTypeOf(attribute);
  return Cell ? (
    <Cell value={value} attribute={attribute} />
  ) : (
    <span className="user-text">{toText(value, attribute)}</span>
  );
}

/** What stands where there is no value. */
export function Nothing() {
  return (
    <span className="cell-nothing">
      <span aria-hidden>–</span>
      <span className="visually-hidden">{t("No value")}</span>
    </span>
  );
}
