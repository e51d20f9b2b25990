// Makes models for tests, as the API describes them to an administrator.

import { type Attribute, Model, type ModelClass, type Role } from "../src/description/model";

const USE = { readable: "always", creatable: "always", editable: "always" } as const;

export function role(name: string, target: string, more: Partial<Role> = {}): Role {
  return { ...USE, name, target, kind: "ASSOCIATION", min: 0, key: false, ...more };
}

export function attribute(name: string): Attribute {
  return { ...USE, name, type: "String", required: false, derived: false, unique: false };
}

export function class_(name: string, roles: readonly Role[], more: Partial<ModelClass> = {}): ModelClass {
  const extents = {
    read: "always",
    create: "always",
    edit: "always",
    delete: "always",
    label: "always",
  } as const;
  const nothing = {
    labelOf: [],
    platformAttributes: [],
    partOf: [],
    uniques: [],
    warnings: [],
    services: [],
    attributes: [],
  };
  const is = { kind: "ORDINARY", versioned: false, exposed: true } as const;
  return { ...extents, ...nothing, ...is, name, roles, ...more };
}

export function modelOf(...classes: readonly ModelClass[]): Model {
  const profiles = [{ name: "Administrator", administrator: true, narrower: [] }];
  return new Model({ application: "Hr", profile: "Administrator", administrator: true, profiles, classes });
}
