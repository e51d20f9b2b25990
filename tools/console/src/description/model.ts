// The description of the model, as the API gives it to this member: see GET auth/api/model.

export type Extent = "always" | "sometimes" | "never";

interface Usable {
  readonly name: string;
  readonly description?: string;
  readonly readable: Extent;
  readonly creatable: Extent;
  readonly editable: Extent;
}

export interface EnumValue {
  readonly name: string;
  readonly description?: string;
}

export interface Attribute extends Usable {
  /** The name of the type in the model, or that of an enum. */
  readonly type: string;
  /** The values of the enum. */
  readonly values?: readonly EnumValue[];
  readonly required: boolean;
  readonly default?: string;
  readonly domain?: Readonly<Record<string, unknown>>;
  readonly compare?: string;
  readonly file?: Readonly<Record<string, unknown>>;
  readonly derived: boolean;
  readonly unique: boolean;
}

export interface Role extends Usable {
  readonly target: string;
  readonly kind: "ASSOCIATION" | "COMPOSITION" | "WHOLE";
  readonly opposite?: string;
  readonly min: number;
  /** Absent if the role leads to many objects. */
  readonly max?: number;
  readonly order?: string;
  /** Whether the object itself holds the key of the target. */
  readonly key: boolean;
}

export interface ModelWarning {
  readonly name: string;
  readonly message?: string;
  readonly blocking?: boolean;
}

export interface ModelClass {
  readonly name: string;
  readonly description?: string;
  /** The heading under which clients show the class. */
  readonly group?: string;
  readonly kind: "ORDINARY" | "SINGLETON" | "FORM" | "USERS";
  readonly versioned: boolean;
  readonly exposed: boolean;
  readonly read: Extent;
  readonly create: Extent;
  readonly edit: Extent;
  readonly delete: Extent;
  readonly label: Extent;
  /** The attributes and roles that the label is made of. Empty if the member never sees it. */
  readonly labelOf: readonly string[];
  readonly platformAttributes: readonly string[];
  readonly partOf: readonly string[];
  readonly uniques: readonly (readonly string[])[];
  readonly attributes: readonly Attribute[];
  readonly roles: readonly Role[];
  readonly warnings: readonly ModelWarning[];
  /** The fields of Query and Mutation that the member may use. */
  readonly services: readonly string[];
}

export interface Profile {
  readonly name: string;
  readonly administrator: boolean;
  /** The profiles that lie within it, which its API keys can have. */
  readonly narrower: readonly string[];
}

export interface ModelDescription {
  readonly application: string;
  readonly profile: string;
  /** Whether the profile is an administrator's. */
  readonly administrator: boolean;
  /** The own profile. For administrators, all of the model. */
  readonly profiles: readonly Profile[];
  readonly classes: readonly ModelClass[];
}

/** The description, with what the console asks of it. */
export class Model {
  readonly #classes: ReadonlyMap<string, ModelClass>;

  constructor(readonly description: ModelDescription) {
    this.#classes = new Map(description.classes.map((each) => [each.name, each]));
  }

  get isAdministrator(): boolean {
    return this.description.administrator;
  }

  get profiles(): readonly Profile[] {
    return this.description.profiles;
  }

  get classes(): readonly ModelClass[] {
    return this.description.classes;
  }

  /** Returns a class, or undefined if the member may not use it. */
  find(name: string): ModelClass | undefined {
    return this.#classes.get(name);
  }

  /** Returns a class that the description is known to have. */
  of(name: string): ModelClass {
    const found = this.find(name);
    if (!found) throw new Error(`The model has no class ${name} for this member.`);
    return found;
  }
}

/** Whether the member may use one of a class's services, such as `getPage` or `create`. */
export function offers(class_: ModelClass, service: string): boolean {
  return class_.services.includes(`${class_.name}___${service}`);
}

export function isToMany(role: Role): boolean {
  return role.max !== 1;
}
