// The documents that search for the objects that a role may lead to.

import { type Model, type ModelClass, offers, type Role } from "../description/model";
import { nameFields } from "./name";
import { isReadAlone } from "./object";
import { searchExpression } from "./search";
import { quote } from "./selection";

/** Where the objects of a role are found, in the order in which the console tries. */
export interface Owner {
  /** The class of the whole form. */
  readonly class_: ModelClass;
  /** The stored object of the form, or null. */
  readonly id: string | null;
  /** The roles that lead from there to the part whose role it is. */
  readonly roles: readonly Role[];
}

/** A document, and the way through its answer to the page of objects. */
export interface AssociablesDocument {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly path: readonly string[];
}

/** Whether the member can search for the objects of a role. */
export function canSearch(model: Model, owner: Owner, role: Role): boolean {
  return associablesDocument(model, owner, role, "") !== null;
}

/**
 * Returns the document that finds the objects a role may lead to, and whose label has a text, or null if the
 * member may not search for them.
 *
 * The object itself knows best, also if it doesn't exist yet: its preview is asked then.
 */
export function associablesDocument(
  model: Model,
  owner: Owner,
  role: Role,
  text: string,
  next = 20,
): AssociablesDocument | null {
  const target = model.of(role.target);
  const filter = searchExpression(text, target);
  const options = `{next: ${next}${filter ? `, filter_exp: ${quote(filter)}` : ""}}`;
  const page = `{ items { ${["_id", ...nameFields(target)].join(" ")} } hasNext }`;
  const field = `${role.name}___associables(options: ${options}) ${page}`;
  const { class_, id, roles } = owner;
  if (role.readable !== "never" && roles.length === 0 && id !== null && isReadAlone(class_)) {
    const isSingleton = class_.kind === "SINGLETON";
    return {
      document: isSingleton
        ? `query { object: ${class_.name}___get { ${field} } }`
        : `query($id: ID!) { object: ${class_.name}___get(_id: $id) { ${field} } }`,
      variables: isSingleton ? {} : { id },
      path: ["object", `${role.name}___associables`],
    };
  }
  const isReadable = [role, ...roles].every(({ readable }) => readable !== "never");
  if (isReadable && offers(class_, "previewCreate")) return previewOf(class_, roles, role, field);
  if (!offers(target, "getPage")) return null;
  return {
    document: `query { page: ${target.name}___getPage(options: ${options}) ${page} }`,
    variables: {},
    path: ["page"],
  };
}

/** Asks the preview of a new object, with a new part on each level down to the one whose role it is. */
function previewOf(
  class_: ModelClass,
  roles: readonly Role[],
  role: Role,
  field: string,
): AssociablesDocument {
  const down = [...roles].reverse();
  const data = down.reduce(
    (inner, { name, max }) => (max === 1 ? `{${name}: ${inner}}` : `{${name}: [${inner}]}`),
    "{}",
  );
  const selection = down.reduce(
    (inner, { name, max }) => (max === 1 ? `${name} { ${inner} }` : `${name} { items { ${inner} } }`),
    field,
  );
  const path = roles.flatMap(({ name, max }) => (max === 1 ? [name] : [name, "items", "0"]));
  return {
    document: `query { object: ${class_.name}___previewCreate(data: ${data}) { ${selection} } }`,
    variables: {},
    path: ["object", ...path, `${role.name}___associables`],
  };
}
