// The form of a filter: a field, an operator and a value, or an expression.

import { useState } from "react";
import { Button } from "../../components/button";
import { Checkbox, TextField } from "../../components/field";
import type { ModelClass } from "../../description/model";
import { useModel } from "../../description/use_model";
import { t } from "../../messages/messages";
import { serviceSettings } from "../../service/settings";
import { problemOf } from "../../values/registry";
import { AttributeConditionFields } from "./attribute_condition_fields";
import {
  type AttributeCondition,
  type Condition,
  firstCondition,
  isOnRole,
  needsNoValue,
  subjectOf,
} from "./condition";
import { FieldSelect } from "./field_select";
import type { FilterEditorProps } from "./filter_editor";
import { RoleConditionFields } from "./role_condition_fields";

/** The choice of the field select that stands for an expression. No attribute can be called so. */
const EXPRESSION = "(expression)";

export default function FilterForm({ list: { class_, query }, filter, onApply }: FilterEditorProps) {
  const [field, setField] = useState(
    filter ? ("condition" in filter ? filter.condition.field : EXPRESSION) : "",
  );
  const [expression, setExpression] = useState(filter && "expression" in filter ? filter.expression : "");
  const [condition, setCondition] = useState<Condition | null>(
    filter && "condition" in filter ? filter.condition : null,
  );
  const [isTried, setTried] = useState(false);
  const model = useModel();
  const subject = subjectOf(class_, field);

  function choose(name: string) {
    setField(name);
    setTried(false);
    const chosen = subjectOf(class_, name);
    setCondition(chosen ? firstCondition(chosen, model) : null);
  }

  function apply() {
    if (field === EXPRESSION) return onApply({ expression: expression.trim() });
    const target = subject?.kind === "role" ? model.find(subject.role.target) : undefined;
    if (condition && isComplete(condition, class_, target)) onApply({ condition });
    else setTried(true);
  }

  return (
    <form
      className="filter-form"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <FieldSelect
        class_={class_}
        label={t("Filter by")}
        value={field}
        onChange={choose}
        others={[{ value: EXPRESSION, label: t("Expression (for experts)") }]}
        hasRoles
      />
      {field === EXPRESSION && (
        <TextField
          label={t("Expression")}
          isMultiline
          value={expression}
          onChange={setExpression}
          spellCheck="false"
          description={t("A condition over the attributes, such as {example}.", {
            example: "year(_createdon) == 2026",
          })}
        />
      )}
      {subject?.kind === "attribute" && condition && !isOnRole(condition) && (
        <AttributeConditionFields
          attribute={subject.attribute}
          condition={condition}
          onChange={setCondition}
          isTried={isTried}
        />
      )}
      {subject?.kind === "role" && condition && (
        <RoleConditionFields
          role={subject.role}
          condition={condition}
          onChange={setCondition}
          isTried={isTried}
          labels={query.data?.labels ?? new Map()}
        />
      )}
      {condition && (
        <Checkbox
          isSelected={condition.isNegated ?? false}
          onChange={(isNegated) => setCondition(negated(condition, isNegated))}
        >
          {t("Show the objects that do not meet it")}
        </Checkbox>
      )}
      {field === EXPRESSION && serviceSettings().addresses.documentation && (
        <a href={`${serviceSettings().addresses.documentation}/expressions`} target="_blank" rel="noreferrer">
          {t("What expressions can say")}
        </a>
      )}
      <div className="dialog-buttons">
        <Button type="submit" variant="primary" isSmall isDisabled={!field}>
          {t("Apply")}
        </Button>
      </div>
    </form>
  );
}

function negated(condition: Condition, isNegated: boolean): Condition {
  const { isNegated: _, ...rest } = condition;
  return isNegated ? { ...rest, isNegated } : rest;
}

function isComplete(condition: Condition, class_: ModelClass, target: ModelClass | undefined): boolean {
  if (!isOnRole(condition)) return hasValue(condition, class_);
  return !condition.inner || (target !== undefined && hasValue(condition.inner, target));
}

function hasValue(condition: AttributeCondition, class_: ModelClass): boolean {
  const { field, operator, value } = condition;
  if (needsNoValue(operator)) return true;
  const subject = subjectOf(class_, field);
  if (subject?.kind !== "attribute" || value === null || value === undefined || value === "") return false;
  const values = Array.isArray(value) ? value : [value];
  return values.length > 0 && values.every((each) => problemOf(subject.attribute, each) === null);
}
