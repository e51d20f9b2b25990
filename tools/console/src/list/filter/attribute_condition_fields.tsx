// The operator and the value of a condition on an attribute.

import { Checkbox, SelectField, TextField } from "../../components/field";
import type { Attribute } from "../../description/model";
import { t } from "../../messages/messages";
import { problemOf, valueTypeOf } from "../../values/registry";
import { ValueEditor } from "../../values/value_editor";
import type { Operator } from "../../values/value_type";
import { type AttributeCondition, inputOf, needsNoValue } from "./condition";
import { operatorText } from "./sentences";

interface AttributeConditionFieldsProps {
  readonly attribute: Attribute;
  readonly condition: AttributeCondition;
  readonly onChange: (condition: AttributeCondition) => void;
  /** Whether the member has tried to apply the condition, so that what is missing is said. */
  readonly isTried: boolean;
}

/** Operators on a part of a text, for which the values that the model lists are not enough. */
const PARTIAL = new Set<Operator>(["contains", "starts_with", "ends_with"]);
/** Types whose lists of values are written by hand, one a line. */
const LISTED = new Set(["String", "Int", "Serial", "Year"]);

export function AttributeConditionFields({
  attribute,
  condition,
  onChange,
  isTried,
}: AttributeConditionFieldsProps) {
  const operators = valueTypeOf(attribute).operators.filter(
    (each) => each !== "in" || attribute.values || LISTED.has(attribute.type),
  );
  const { operator, value } = condition;
  const set = (operator: Operator, value: unknown) => {
    const { value: _, ...rest } = condition;
    onChange({ ...rest, operator, ...(!needsNoValue(operator) && { value }) });
  };
  return (
    <>
      <SelectField
        label={t("Condition")}
        value={operator}
        choices={operators.map((each) => ({ value: each, label: operatorText(each, attribute.type) }))}
        onChange={(chosen) => set(chosen as Operator, keptValue(value, operator, chosen as Operator))}
      />
      {needsNoValue(operator) ? null : operator === "in" ? (
        <ValueList attribute={attribute} value={value} onChange={(values) => set(operator, values)} />
      ) : (
        <ValueEditor
          attribute={comparedAttribute(attribute, operator)}
          label={t("Value")}
          description=""
          value={value ?? null}
          onChange={(changed) => set(operator, changed)}
          error={isTried ? problem(attribute, value) : undefined}
        />
      )}
    </>
  );
}

/** Returns the attribute without what limits its values where a part of a value is compared. */
function comparedAttribute({ domain, default: _, ...attribute }: Attribute, operator: Operator): Attribute {
  const isFree = PARTIAL.has(operator) || !domain;
  return { ...attribute, required: false, ...(!isFree && { domain }) };
}

function keptValue(value: unknown, before: Operator, now: Operator): unknown {
  return (before === "in") === (now === "in") ? value : undefined;
}

function problem(attribute: Attribute, value: unknown): string | undefined {
  if (value === null || value === undefined || value === "") return t("Enter a value.");
  return problemOf(attribute, value) ?? undefined;
}

interface ValueListProps {
  readonly attribute: Attribute;
  readonly value: unknown;
  readonly onChange: (values: readonly unknown[]) => void;
}

function ValueList({ attribute, value, onChange }: ValueListProps) {
  const values: readonly unknown[] = Array.isArray(value) ? value : [];
  if (!attribute.values) {
    return (
      <TextField
        label={t("Values, one a line")}
        isMultiline
        defaultValue={values.join("\n")}
        onChange={(text) =>
          onChange(
            text
              .split("\n")
              .map((line) => line.trim())
              .filter(Boolean)
              .map((line) => inputOf(attribute, line)),
          )
        }
      />
    );
  }
  return (
    <fieldset className="value-list">
      <legend className="field-label">{t("Values")}</legend>
      {attribute.values.map(({ name }) => (
        <Checkbox
          key={name}
          isSelected={values.includes(name)}
          onChange={(isSelected) =>
            onChange(isSelected ? [...values, name] : values.filter((each) => each !== name))
          }
        >
          {valueTypeOf(attribute).toText(name, attribute)}
        </Checkbox>
      ))}
    </fieldset>
  );
}
