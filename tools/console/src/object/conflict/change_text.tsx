// What two members have made of a field, in words.

import type { Model } from "../../description/model";
import { titleOf } from "../../description/sidebar";
import { t } from "../../messages/messages";
import { useMember } from "../../session/member";
import type { Formats } from "../../values/instant_text";
import { valueTypeOf } from "../../values/registry";
import { Nothing } from "../../values/value_text";
import { type Draft, draftAt, type LinksDraft, type Reference, ROOT, stepsOf } from "../draft";
import type { Change } from "./merge";

/** Returns the name of the field, such as "Lines › Nails › Quantity". */
export function changeTitle(change: Change, drafts: readonly Draft[]): string {
  const names: string[] = [];
  let path = ROOT;
  for (const { role, clientId } of stepsOf(change.path)) {
    path += `${path ? "/" : ""}${role}:${clientId}`;
    const part = drafts.map((draft) => draftAt(draft, path)).find(Boolean);
    names.push(titleOf(role));
    if (part?.label) names.push(part.label);
  }
  if (change.kind !== "part") names.push(titleOf(change.name));
  return names.join(" › ");
}

interface ChangeValueProps {
  readonly model: Model;
  readonly change: Change;
  readonly side: "base" | "mine" | "theirs";
}

/** Shows what a field is on one side. */
export function ChangeValue({ model, change, side }: ChangeValueProps) {
  const text = textOf(model, change, side, useMember());
  return text === null ? <Nothing /> : <span className="user-text">{text}</span>;
}

function textOf(
  model: Model,
  change: Change,
  side: ChangeValueProps["side"],
  formats: Formats,
): string | null {
  if (change.kind === "value") return valueText(model, change.className, change.name, change[side], formats);
  if (change.kind === "reference") return referenceText(change[side]);
  if (change.kind === "links") return linksText(change[side]);
  const part = change[side];
  if (part) return partText(model, part, formats);
  return side === "base" ? null : t("Not there");
}

function valueText(
  model: Model,
  className: string,
  name: string,
  value: unknown,
  formats: Formats,
): string | null {
  const attribute = model.of(className).attributes.find((each) => each.name === name);
  if (!attribute || value === null || value === undefined || value === "") return null;
  const { inputText, toText } = valueTypeOf(attribute);
  return inputText ? inputText(value, formats) : toText(value, attribute);
}

function referenceText(target: Reference | null): string | null {
  return target && (target.label ?? target.id);
}

function linksText(links: LinksDraft | null): string | null {
  if (!links) return null;
  const names = (targets: readonly Reference[]) => targets.map(referenceText).join(", ");
  const texts = [
    ...(links.added.length > 0 ? [t("Added: {names}", { names: names(links.added) })] : []),
    ...(links.removed.length > 0 ? [t("Removed: {names}", { names: names(links.removed) })] : []),
  ];
  return texts.join(" · ");
}

/** Returns what a part has in its fields. */
function partText(model: Model, part: Draft, formats: Formats): string {
  const values = model.of(part.className).attributes.flatMap(({ name }) => {
    const text = valueText(model, part.className, name, part.values[name], formats);
    return text === null ? [] : [`${titleOf(name)}: ${text}`];
  });
  const references = Object.entries(part.references).flatMap(([role, target]) =>
    target ? [`${titleOf(role)}: ${referenceText(target)}`] : [],
  );
  return [...values, ...references].join(" · ") || t("Nothing filled in");
}
