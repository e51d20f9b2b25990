// A condition of a list's filter: on an attribute, or on the objects that a role leads to.

import {
  type Attribute,
  isToMany,
  type Model,
  type ModelClass,
  offers,
  type Role,
} from "../../description/model";
import { valueTypeOf } from "../../values/registry";
import type { Operator } from "../../values/value_type";

export type RoleOperator =
  /** To-one: an object is there, and meets the inner condition. */
  | "is"
  | "null"
  /** To-many: at least one object, or none, meets the inner condition. */
  | "some"
  | "none";

export interface AttributeCondition {
  readonly field: string;
  readonly operator: Operator;
  /** As inputs of the API have it; a list for `in`, and nothing for `null` and `not___null`. */
  readonly value?: unknown;
  readonly isNegated?: boolean;
}

export interface RoleCondition {
  readonly field: string;
  readonly operator: RoleOperator;
  /** What the objects must meet. Any object does if there is none. */
  readonly inner?: AttributeCondition;
  readonly isNegated?: boolean;
}

export type Condition = AttributeCondition | RoleCondition;

/** What a condition of a class is about. */
export type Subject =
  | { readonly kind: "attribute"; readonly attribute: Attribute }
  | { readonly kind: "role"; readonly role: Role };

const TO_ONE: readonly RoleOperator[] = ["is", "null"];
const TO_MANY: readonly RoleOperator[] = ["some", "none"];

/** The attribute with which a condition names one object. */
export const ID: Attribute = {
  name: "_id",
  type: "ID",
  required: true,
  derived: false,
  unique: true,
  readable: "always",
  creatable: "never",
  editable: "never",
};

export function roleOperators(role: Role): readonly RoleOperator[] {
  return isToMany(role) ? TO_MANY : TO_ONE;
}

/** A condition that names one object, which is still to be chosen. */
export const UNNAMED: AttributeCondition = { field: ID.name, operator: "eq" };

/** Whether people can choose an object of a class by its label. */
export function isChosenByLabel(class_: ModelClass): boolean {
  return offers(class_, "getPage") && class_.label !== "never";
}

/** Returns the condition with which the filter of a field begins. Its value is still to be given. */
export function firstCondition(subject: Subject, model: Model): Condition {
  if (subject.kind === "attribute") return firstAttributeCondition(subject.attribute);
  const { name, target } = subject.role;
  const operator = roleOperators(subject.role)[0] ?? "is";
  return { field: name, operator, ...(isChosenByLabel(model.of(target)) && { inner: UNNAMED }) };
}

export function firstAttributeCondition(attribute: Attribute): AttributeCondition {
  const { operators } = valueTypeOf(attribute);
  const isText = operators.includes("contains");
  return { field: attribute.name, operator: isText ? "contains" : (operators[0] ?? "null") };
}

export function needsNoValue(operator: string): boolean {
  return operator === "null" || operator === "not___null";
}

/** Returns the attribute or the role with a name, undefined if the member can't filter by it. */
export function subjectOf(class_: ModelClass, name: string): Subject | undefined {
  if (name === ID.name) return { kind: "attribute", attribute: ID };
  const attribute = class_.attributes.find((each) => each.name === name);
  if (attribute) return attribute.readable === "always" ? { kind: "attribute", attribute } : undefined;
  const role = class_.roles.find((each) => each.name === name);
  return role?.readable === "always" ? { kind: "role", role } : undefined;
}

export function isOnRole(condition: Condition): condition is RoleCondition {
  return "inner" in condition || ["is", "some", "none"].includes(condition.operator);
}

/** Returns the id that a condition compares with, if it names one object: its team, one of its members. */
export function namedObject(condition: Condition): string | null {
  const inner = isOnRole(condition) ? condition.inner : undefined;
  return inner?.field === ID.name && typeof inner.value === "string" ? inner.value : null;
}

/** Returns a condition as a filter of the API. */
export function filterOf(condition: Condition, class_: ModelClass): Record<string, unknown> {
  const filter = isOnRole(condition) ? roleFilter(condition, class_) : attributeFilter(condition);
  return condition.isNegated ? { NOT: filter } : filter;
}

function attributeFilter({ field, operator, value }: Condition & { value?: unknown }) {
  return { [`${field}___${operator}`]: needsNoValue(operator) ? true : value };
}

function roleFilter({ field, operator, inner }: RoleCondition, class_: ModelClass) {
  const met = inner ? attributeFilter(inner) : {};
  const subject = subjectOf(class_, field);
  const isMany = subject?.kind === "role" && isToMany(subject.role);
  return { [isMany ? `${field}___${operator}` : field]: met };
}

/**
 * Returns a condition as the text that addresses have: `hired_on.gt.2024-03-01`, `!team.is._id.eq.06h0…`.
 *
 * Names have no points, so what follows the operator is the value.
 */
export function conditionText(condition: Condition): string {
  const negation = condition.isNegated ? "!" : "";
  if (!isOnRole(condition)) return negation + attributeText(condition);
  const inner = condition.inner ? `.${attributeText(condition.inner)}` : "";
  return `${negation}${condition.field}.${condition.operator}${inner}`;
}

function attributeText({ field, operator, value }: AttributeCondition): string {
  if (needsNoValue(operator)) return `${field}.${operator}`;
  const text = Array.isArray(value) ? JSON.stringify(value) : String(value);
  return `${field}.${operator}.${text}`;
}

/** Returns the condition that a text means, null if the member's model has nothing like it. */
export function parseCondition(text: string, class_: ModelClass, model: Model): Condition | null {
  const isNegated = text.startsWith("!");
  const found = parseSubject(isNegated ? text.slice(1) : text, class_, model);
  return found && { ...found, ...(isNegated && { isNegated }) };
}

function parseSubject(text: string, class_: ModelClass, model: Model): Condition | null {
  const [field = "", operator = ""] = text.split(".", 2);
  const rest = text.slice(field.length + operator.length + 2);
  const subject = subjectOf(class_, field);
  if (!subject || !operator) return null;
  if (subject.kind === "attribute") return parseAttribute(subject.attribute, operator as Operator, rest);
  if (!roleOperators(subject.role).includes(operator as RoleOperator)) return null;
  const condition: RoleCondition = { field, operator: operator as RoleOperator };
  if (!rest || needsNoValue(operator)) return condition;
  const target = model.find(subject.role.target);
  const inner = target && parseSubject(rest, target, model);
  return inner && !isOnRole(inner) ? { ...condition, inner } : null;
}

function parseAttribute(attribute: Attribute, operator: Operator, text: string): AttributeCondition | null {
  const condition = { field: attribute.name, operator };
  if (needsNoValue(operator)) return condition;
  if (operator !== "in") return { ...condition, value: inputOf(attribute, text) };
  try {
    const values: unknown = JSON.parse(text);
    return Array.isArray(values) ? { ...condition, value: values } : null;
  } catch {
    return null;
  }
}

const FROM_TEXT: Readonly<Record<string, (text: string) => unknown>> = {
  Boolean: (text) => text === "true",
  Int: Number,
  Year: Number,
  Serial: Number,
};

export function inputOf(attribute: Attribute, text: string): unknown {
  return FROM_TEXT[attribute.type]?.(text) ?? text;
}
