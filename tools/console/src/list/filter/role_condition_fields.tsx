// What a condition says about the objects that a role leads to: which one, what they meet, or whether any is there.

import { SelectField } from "../../components/field";
import { isToMany, type ModelClass, type Role } from "../../description/model";
import { useModel } from "../../description/use_model";
import { t } from "../../messages/messages";
import { AttributeConditionFields } from "./attribute_condition_fields";
import {
  type AttributeCondition,
  type Condition,
  firstAttributeCondition,
  ID,
  isChosenByLabel,
  isOnRole,
  namedObject,
  type RoleCondition,
  type RoleOperator,
  subjectOf,
  UNNAMED,
} from "./condition";
import { FieldSelect } from "./field_select";
import { ObjectChoice } from "./object_choice";

interface RoleConditionFieldsProps {
  readonly role: Role;
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
  readonly isTried: boolean;
  /** The labels of objects that conditions name, by id. */
  readonly labels: ReadonlyMap<string, string>;
}

/** What a condition on a role compares. */
type Way =
  /** One object, chosen by its label. */
  | "object"
  /** A condition on an attribute of the objects. */
  | "attribute"
  /** Whether there is any object. */
  | "presence";

/** A choice of the select: an operator, and what it compares. */
interface Meaning {
  readonly value: string;
  readonly label: string;
  readonly operator: RoleOperator;
  readonly way: Way;
}

function meaningsOf(role: Role, hasObjects: boolean): readonly Meaning[] {
  const all: readonly Meaning[] = isToMany(role)
    ? [
        { value: "some-object", label: t("include"), operator: "some", way: "object" },
        { value: "none-object", label: t("do not include"), operator: "none", way: "object" },
        { value: "some-attribute", label: t("at least one meets"), operator: "some", way: "attribute" },
        { value: "none-attribute", label: t("none meets"), operator: "none", way: "attribute" },
        { value: "none", label: t("are empty"), operator: "none", way: "presence" },
        { value: "some", label: t("are not empty"), operator: "some", way: "presence" },
      ]
    : [
        { value: "is-object", label: t("is"), operator: "is", way: "object" },
        { value: "is-attribute", label: t("meets"), operator: "is", way: "attribute" },
        { value: "null", label: t("is empty"), operator: "null", way: "presence" },
        { value: "is", label: t("is not empty"), operator: "is", way: "presence" },
      ];
  return hasObjects ? all : all.filter(({ way }) => way !== "object");
}

export function RoleConditionFields({
  role,
  condition,
  onChange,
  isTried,
  labels,
}: RoleConditionFieldsProps) {
  const target = useModel().of(role.target);
  const meanings = meaningsOf(role, isChosenByLabel(target));
  const inner = isOnRole(condition) ? condition.inner : undefined;
  const way = wayOf(inner);
  const meaning =
    meanings.find((each) => each.way === way && each.operator === condition.operator) ??
    meanings.find((each) => each.operator === condition.operator);
  const set = (operator: RoleOperator, inner?: AttributeCondition) => {
    const { isNegated, field } = condition;
    const next: RoleCondition = { field, operator };
    onChange({ ...next, ...(inner && { inner }), ...(isNegated && { isNegated }) });
  };
  const choose = (value: string) => {
    const chosen = meanings.find((each) => each.value === value);
    if (!chosen) return;
    set(chosen.operator, chosen.way === way ? inner : firstInner(chosen.way, target));
  };
  const attribute = inner && subjectOf(target, inner.field);
  const chooseAttribute = (name: string) => {
    const subject = subjectOf(target, name);
    if (subject?.kind === "attribute") {
      set(condition.operator as RoleOperator, firstAttributeCondition(subject.attribute));
    }
  };
  return (
    <>
      <SelectField label={t("Condition")} value={meaning?.value ?? ""} choices={meanings} onChange={choose} />
      {way === "object" && (
        <ObjectChoice
          class_={target}
          id={namedObject(condition)}
          label={labels.get(namedObject(condition) ?? "") ?? ""}
          isMissing={isTried && !namedObject(condition)}
          onChange={(id) =>
            set(condition.operator as RoleOperator, { field: ID.name, operator: "eq", value: id })
          }
        />
      )}
      {way === "attribute" && (
        <FieldSelect
          class_={target}
          label={t("Its attribute")}
          value={inner?.field ?? ""}
          onChange={chooseAttribute}
        />
      )}
      {way === "attribute" && inner && attribute?.kind === "attribute" && (
        <AttributeConditionFields
          attribute={attribute.attribute}
          condition={inner}
          onChange={(changed) => set(condition.operator as RoleOperator, changed)}
          isTried={isTried}
        />
      )}
    </>
  );
}

function wayOf(inner: AttributeCondition | undefined): Way {
  if (!inner) return "presence";
  return inner.field === ID.name ? "object" : "attribute";
}

/** Returns the inner condition of a way that has just been chosen. Without a value, it is not complete. */
function firstInner(way: Way, target: ModelClass): AttributeCondition | undefined {
  if (way === "presence") return undefined;
  if (way === "object") return UNNAMED;
  const first = target.attributes.find(({ readable }) => readable === "always");
  return first && firstAttributeCondition(first);
}
