// Conditions as sentences, such as "Hired on is after 01/03/2024".

import { fieldTitle } from "../../description/field_title";
import { isToMany, type Model, type ModelClass, type Role } from "../../description/model";
import { t } from "../../messages/messages";
import type { Member } from "../../session/member";
import type { Operator } from "../../values/value_type";
import {
  type AttributeCondition,
  type Condition,
  isOnRole,
  namedObject,
  type RoleCondition,
  subjectOf,
} from "./condition";
import { conditionValueText } from "./value_texts";

type Words = { readonly field: string; readonly value: string };
type Sentences = Readonly<Record<Operator, (words: Words) => string>>;

const PLAIN: Sentences = {
  eq: (words) => t("{field} is {value}", words),
  ne: (words) => t("{field} is not {value}", words),
  lt: (words) => t("{field} is less than {value}", words),
  lte: (words) => t("{field} is at most {value}", words),
  gt: (words) => t("{field} is more than {value}", words),
  gte: (words) => t("{field} is at least {value}", words),
  in: (words) => t("{field} is one of {value}", words),
  contains: (words) => t("{field} contains {value}", words),
  starts_with: (words) => t("{field} starts with {value}", words),
  ends_with: (words) => t("{field} ends with {value}", words),
  null: (words) => t("{field} is empty", words),
  not___null: (words) => t("{field} is not empty", words),
};

const NEGATED: Sentences = {
  eq: PLAIN.ne,
  ne: PLAIN.eq,
  lt: (words) => t("{field} is not less than {value}", words),
  lte: (words) => t("{field} is not at most {value}", words),
  gt: (words) => t("{field} is not more than {value}", words),
  gte: (words) => t("{field} is not at least {value}", words),
  in: (words) => t("{field} is none of {value}", words),
  contains: (words) => t("{field} does not contain {value}", words),
  starts_with: (words) => t("{field} does not start with {value}", words),
  ends_with: (words) => t("{field} does not end with {value}", words),
  null: PLAIN.not___null,
  not___null: PLAIN.null,
};

const TEMPORAL: Partial<Sentences> = {
  lt: (words) => t("{field} is before {value}", words),
  lte: (words) => t("{field} is {value} or before", words),
  gt: (words) => t("{field} is after {value}", words),
  gte: (words) => t("{field} is {value} or after", words),
};

const NEGATED_TEMPORAL: Partial<Sentences> = {
  lt: (words) => t("{field} is not before {value}", words),
  lte: (words) => t("{field} is not {value} or before", words),
  gt: (words) => t("{field} is not after {value}", words),
  gte: (words) => t("{field} is not {value} or after", words),
};

const TEMPORAL_TYPES = new Set(["Date", "Time", "Datetime", "Year"]);

/** Returns what an operator says about a value of a type, without its field and its value: "is after". */
export function operatorText(operator: Operator, type: string): string {
  const words = sentenceOf(operator, type, false)({ field: "", value: "…" });
  return words.replace(/\s*…$/, "").trim();
}

function sentenceOf(operator: Operator, type: string, isNegated: boolean) {
  const temporal = isNegated ? NEGATED_TEMPORAL : TEMPORAL;
  const plain = isNegated ? NEGATED : PLAIN;
  return (TEMPORAL_TYPES.has(type) && temporal[operator]) || plain[operator];
}

export interface SentenceContext {
  readonly model: Model;
  readonly member: Pick<Member, "timeZone" | "dateFormat" | "timeFormat">;
  /** The labels of objects that conditions name, by id. */
  readonly labels: ReadonlyMap<string, string>;
}

/** Returns a condition on objects of a class as a sentence. */
export function conditionSentence(
  condition: Condition,
  class_: ModelClass,
  context: SentenceContext,
): string {
  const subject = subjectOf(class_, condition.field);
  if (subject?.kind === "role" && isOnRole(condition)) return roleSentence(condition, subject.role, context);
  return attributeSentence(condition as AttributeCondition, class_, context);
}

function attributeSentence(condition: AttributeCondition, class_: ModelClass, context: SentenceContext) {
  const { field, operator, value, isNegated = false } = condition;
  const subject = subjectOf(class_, field);
  const attribute = subject?.kind === "attribute" ? subject.attribute : undefined;
  const text = attribute && value !== undefined ? conditionValueText(value, attribute, context.member) : "";
  return sentenceOf(operator, attribute?.type ?? "", isNegated)({ field: fieldTitle(field), value: text });
}

function roleSentence(condition: RoleCondition, role: Role, context: SentenceContext): string {
  const field = fieldTitle(role.name);
  const id = namedObject(condition);
  const value = id === null ? "" : (context.labels.get(id) ?? "…");
  const isThere = (condition.operator === "none") === (condition.isNegated ?? false);
  const kind = id !== null ? "object" : condition.inner ? "condition" : "presence";
  const sentence = condition.inner && id === null ? innerSentence(condition.inner, role, context) : "";
  const sentences = isToMany(role) ? TO_MANY : TO_ONE;
  return sentences[kind][isThere ? 0 : 1]({ field, value, sentence });
}

type RoleWords = Words & { readonly sentence: string };
/** What is said if a condition holds, and if it doesn't. */
type Both = readonly [(words: RoleWords) => string, (words: RoleWords) => string];
type RoleSentences = Readonly<Record<"object" | "condition" | "presence", Both>>;

const TO_ONE: RoleSentences = {
  object: [PLAIN.eq, PLAIN.ne],
  condition: [
    (words) => t("{field} whose {sentence}", words),
    (words) => t("Not {field} whose {sentence}", words),
  ],
  presence: [PLAIN.not___null, PLAIN.null],
};

const TO_MANY: RoleSentences = {
  object: [
    (words) => t("{field} include {value}", words),
    (words) => t("{field} do not include {value}", words),
  ],
  condition: [
    (words) => t("{field}: at least one whose {sentence}", words),
    (words) => t("{field}: none whose {sentence}", words),
  ],
  presence: [(words) => t("{field} are not empty", words), (words) => t("{field} are empty", words)],
};

function innerSentence(inner: AttributeCondition, role: Role, context: SentenceContext): string {
  const sentence = attributeSentence(inner, context.model.of(role.target), context);
  return sentence.charAt(0).toLocaleLowerCase() + sentence.slice(1);
}
