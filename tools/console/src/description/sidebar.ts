// The classes as the sidebar shows them: in the model's order, by group, and parts under their wholes.

import type { Model, ModelClass } from "./model";
import { offers } from "./model";

export interface SidebarClass {
  readonly class_: ModelClass;
  /** How many wholes it stands below. */
  readonly depth: number;
}

export interface SidebarGroup {
  /** Empty for classes without a group. */
  readonly name: string;
  readonly classes: readonly SidebarClass[];
}

/** Whether the sidebar leads to a class: to its list, to its only object, or to the form that it is. */
export function isListed(class_: ModelClass): boolean {
  if (class_.kind === "USERS") return false;
  if (class_.kind === "FORM") return offers(class_, "previewCreate");
  return offers(class_, "getPage") || (class_.kind === "SINGLETON" && offers(class_, "get"));
}

/** Returns the groups whose classes match a search, in the model's order. */
export function sidebarGroups(model: Model, search: string): readonly SidebarGroup[] {
  const listed = model.classes.filter(isListed);
  const groups = new Map<string, SidebarClass[]>();
  const met = new Set<ModelClass>();
  const add = (class_: ModelClass, group: string, depth: number): void => {
    if (met.has(class_)) return;
    met.add(class_);
    const classes = groups.get(group) ?? [];
    groups.set(group, classes);
    if (matches(class_, search)) classes.push({ class_, depth: search ? 0 : depth });
    for (const part of listed) if (part.partOf[0] === class_.name) add(part, group, depth + 1);
  };
  const names = new Set(listed.map(({ name }) => name));
  for (const class_ of listed) {
    const isPart = class_.partOf[0] !== undefined && names.has(class_.partOf[0]);
    if (!isPart) add(class_, class_.group ?? "", 0);
  }
  // What is left are parts of themselves, or of one another in a circle.
  for (const class_ of listed) add(class_, class_.group ?? "", 0);
  return [...groups]
    .map(([name, classes]) => ({ name, classes }))
    .filter(({ classes }) => classes.length > 0);
}

function matches(class_: ModelClass, search: string): boolean {
  const wanted = search.trim().toLocaleLowerCase();
  return [class_.name, titleOf(class_.name)].some((name) => name.toLocaleLowerCase().includes(wanted));
}

/** Returns a name of the model as people write it: `hired_on` and `hiredOn` become "Hired on". */
export function titleOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[\s_]+/)
    .filter(Boolean)
    .map((word) => (/^[A-Z0-9]{2,}$/.test(word) ? word : word.toLocaleLowerCase()));
  const text = words.join(" ");
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
