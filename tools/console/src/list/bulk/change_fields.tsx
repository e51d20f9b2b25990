// The fields in which the member says what changes in many objects.

import "./bulk.css";
import { X } from "lucide-react";
import { IconButton } from "../../components/button";
import { SelectField } from "../../components/field";
import type { ModelClass } from "../../description/model";
import { titleOf } from "../../description/sidebar";
import { t } from "../../messages/messages";
import type { Reference } from "../../object/draft";
import { ObjectPicker } from "../../object/roles/object_picker";
import { ValueEditor } from "../../values/value_editor";
import { bulkFields, type Change, isNeeded } from "./changes";

interface ChangeFieldsProps {
  readonly class_: ModelClass;
  readonly changes: readonly Change[];
  readonly onChange: (changes: readonly Change[]) => void;
}

export function ChangeFields({ class_, changes, onChange }: ChangeFieldsProps) {
  const chosen = new Set(changes.map(({ field }) => field.name));
  const others = bulkFields(class_).filter(({ name }) => !chosen.has(name));

  function add(name: string) {
    const field = others.find((each) => each.name === name);
    if (field) onChange([...changes, { field, value: null }]);
  }

  return (
    <div className="bulk-fields">
      {changes.map((change) => (
        <div key={change.field.name} className="bulk-field">
          <ChangeField
            class_={class_}
            change={change}
            onChange={(value) =>
              onChange(changes.map((each) => (each === change ? { ...change, value } : each)))
            }
          />
          <IconButton
            icon={X}
            label={t("Don't change {field}", { field: titleOf(change.field.name) })}
            onPress={() => onChange(changes.filter((each) => each !== change))}
          />
        </div>
      ))}
      {others.length > 0 && (
        <SelectField
          label={changes.length === 0 ? t("Field to change") : t("Another field to change")}
          value=""
          onChange={add}
          choices={[
            { value: "", label: t("Choose…") },
            ...others.map(({ name }) => ({ value: name, label: titleOf(name) })),
          ]}
        />
      )}
    </div>
  );
}

interface ChangeFieldProps {
  readonly class_: ModelClass;
  readonly change: Change;
  readonly onChange: (value: unknown) => void;
}

function ChangeField({ class_, change: { field, value }, onChange }: ChangeFieldProps) {
  const label = titleOf(field.name);
  if (field.kind === "attribute") {
    const { attribute } = field;
    return (
      <ValueEditor
        attribute={attribute}
        label={label}
        value={value}
        onChange={onChange}
        isRequired={isNeeded(field)}
      />
    );
  }
  return (
    <ObjectPicker
      role={field.role}
      owner={{ class_, id: null, roles: [] }}
      label={label}
      description={field.role.description}
      value={value as Reference | null}
      onChange={onChange}
      isRequired={isNeeded(field)}
    />
  );
}
