// Which fields of a class a form edits, and which it only shows.

import type { Attribute, Model, ModelClass, Role } from "../description/model";
import { isShownRole, isWritable, rolesOf } from "../documents/object";
import { isShown } from "../values/registry";
import { roleKindOf } from "./roles/role_kinds";

/** Returns the attributes that the member may set in a new object, or change in a stored one. */
export function editedAttributes(class_: ModelClass, isNew: boolean): readonly Attribute[] {
  return class_.attributes.filter((each) => isWritable(each, isNew));
}

/** Returns the attributes that a form shows but doesn't edit: derived values, numbers, and what is not permitted. */
export function factsOf(class_: ModelClass): readonly Attribute[] {
  return class_.attributes.filter(
    (each) => isShown(each) && !isWritable(each, false) && !isPlatform(class_, each),
  );
}

/** Returns the attributes that say who has made and changed an object, and when. */
export function platformFactsOf(class_: ModelClass): readonly Attribute[] {
  return class_.attributes.filter((each) => isShown(each) && isPlatform(class_, each));
}

/** Returns the attributes of an object that is only shown. */
export function shownAttributes(class_: ModelClass): readonly Attribute[] {
  return class_.attributes.filter((each) => isShown(each) && !isPlatform(class_, each));
}

function isPlatform(class_: ModelClass, { name }: Attribute): boolean {
  return class_.platformAttributes.includes(name);
}

export interface FormRole {
  readonly role: Role;
  readonly isReadOnly: boolean;
}

/** Returns the roles that a form shows: those that are fields among the attributes, or those that are sections. */
export function formRoles(
  model: Model,
  class_: ModelClass,
  options: { readonly isNew: boolean; readonly isReadOnly: boolean; readonly areFields: boolean },
): readonly FormRole[] {
  return rolesOf(model, class_).flatMap((role) => {
    if (model.find(role.target) === undefined) return [];
    if (roleKindOf(role).isField !== options.areFields) return [];
    const isReadOnly = options.isReadOnly || !isWritable(role, options.isNew);
    if (isReadOnly && (options.isNew || !isShownRole(model, role))) return [];
    // What can't be read of a stored object can't be shown, and so not be changed either.
    if (!options.isNew && !isShownRole(model, role)) return [];
    return [{ role, isReadOnly }];
  });
}
