// A name and a value that can't be changed here.

import type { ReactNode } from "react";
import { fieldTitle } from "../description/field_title";
import type { Attribute } from "../description/model";
import { valueTypeOf } from "../values/registry";
import { ValueText } from "../values/value_text";

interface ShownFieldProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

export function ShownField({ label, description, isWide = false, children }: ShownFieldProps) {
  return (
    <div className={isWide ? "shown-field is-wide" : "shown-field"} title={description}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Shows a value as the service has written it for the member. */
export function ShownAttribute({
  attribute,
  value,
}: {
  readonly attribute: Attribute;
  readonly value: unknown;
}) {
  return (
    <ShownField
      label={fieldTitle(attribute.name)}
      description={attribute.description}
      isWide={valueTypeOf(attribute).isWide && typeof value === "string" && value !== ""}
    >
      <ValueText attribute={attribute} value={value} />
    </ShownField>
  );
}
