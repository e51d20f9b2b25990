// A select with the attributes and the roles of a class.

import { useId } from "react";
import type { Choice } from "../../components/field";
import { fieldTitle } from "../../description/field_title";
import type { ModelClass } from "../../description/model";
import { useModel } from "../../description/use_model";
import { t } from "../../messages/messages";
import { valueTypeOf } from "../../values/registry";

interface FieldSelectProps {
  readonly class_: ModelClass;
  readonly label: string;
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly others?: readonly Choice[];
  readonly hasRoles?: boolean;
}

export function FieldSelect({ class_, label, value, onChange, others = [], hasRoles }: FieldSelectProps) {
  const id = useId();
  const model = useModel();
  const attributes = class_.attributes.filter(
    (each) => each.readable === "always" && valueTypeOf(each).operators.length > 0,
  );
  const roles = class_.roles.filter(({ readable, target }) => readable === "always" && model.find(target));
  return (
    <div className="field">
      <label htmlFor={id} className="field-label">
        {label}
      </label>
      <select id={id} className="input" value={value} onChange={(event) => onChange(event.target.value)}>
        {!value && <option value="">{t("Choose…")}</option>}
        <Options label={t("Attributes")} names={attributes.map(({ name }) => name)} />
        {hasRoles && <Options label={t("Roles")} names={roles.map(({ name }) => name)} />}
        {others.map((other) => (
          <option key={other.value} value={other.value}>
            {other.label}
          </option>
        ))}
      </select>
    </div>
  );
}

function Options({ label, names }: { readonly label: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <optgroup label={label}>
      {names.map((name) => (
        <option key={name} value={name}>
          {fieldTitle(name)}
        </option>
      ))}
    </optgroup>
  );
}
