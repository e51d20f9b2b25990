// The model as a graph: classes with their attributes, and one edge for each association.

import { isToMany, type Model, type ModelClass, type Role } from "../../description/model";

export interface Edge {
  readonly id: string;
  /** The class of the whole, or that whose role comes first in the model. */
  readonly from: string;
  readonly to: string;
  /** The role of `from` that leads to `to`. */
  readonly role: Role;
  /** The role that leads back, if there is one. */
  readonly back: Role | undefined;
  readonly isComposition: boolean;
}

export interface ModelGraph {
  readonly classes: readonly ModelClass[];
  readonly edges: readonly Edge[];
}

/** Returns the graph of what the member may use, without what the service itself adds. */
export function modelGraph(model: Model): ModelGraph {
  const edges = new Map<string, Edge>();
  for (const class_ of model.classes) {
    for (const role of class_.roles) {
      const target = model.find(role.target);
      // The roles of whole classes lead back along a composition, which their wholes show.
      if (!target || isOfService(role.name) || (role.kind === "WHOLE" && role.opposite)) continue;
      const edge = edgeOf(class_, role, target);
      if (!edges.has(edge.id)) edges.set(edge.id, edge);
    }
  }
  const found = [...edges.values()];
  const ends = new Set(found.flatMap(({ from, to }) => [from, to]));
  const classes = model.classes
    .filter(({ name, kind }) => kind !== "USERS" || ends.has(name))
    .map((class_) => ({ ...class_, group: groupOf(model, class_) }));
  return { classes, edges: found };
}

/** Returns the group of a class, or that of the whole to which it belongs. Empty if there is none. */
export function groupOf(model: Model, class_: ModelClass, met: ReadonlySet<ModelClass> = new Set()): string {
  if (class_.group || met.has(class_)) return class_.group ?? "";
  const whole = model.find(class_.partOf[0] ?? "");
  return whole ? groupOf(model, whole, new Set([...met, class_])) : "";
}

/** Returns the attributes that the model defines. */
export function ownAttributes({ attributes }: ModelClass): ModelClass["attributes"] {
  return attributes.filter(({ name }) => !isOfService(name));
}

/** Returns the part of a graph with the classes that a member wants to see, and the edges between them. */
export function partOf(graph: ModelGraph, isWanted: (class_: ModelClass) => boolean): ModelGraph {
  const classes = graph.classes.filter(isWanted);
  const names = new Set(classes.map(({ name }) => name));
  return { classes, edges: graph.edges.filter(({ from, to }) => names.has(from) && names.has(to)) };
}

/** Returns the names of a class and of all classes that a number of edges lead to. */
export function neighborhood(graph: ModelGraph, name: string, distance = 1): ReadonlySet<string> {
  let found = new Set([name]);
  for (let step = 0; step < distance; step += 1) {
    const reached = new Set(found);
    for (const { from, to } of graph.edges) {
      if (found.has(from)) reached.add(to);
      if (found.has(to)) reached.add(from);
    }
    found = reached;
  }
  return found;
}

/** Returns the names of the roles of an association. */
export function edgeName({ role, back }: Edge): string {
  return back ? `${role.name} / ${back.name}` : role.name;
}

/** Returns how many objects a role leads to, as diagrams write it: `1`, `0..1`, `1..*` or `*`. */
export function cardinality(role: Role): string {
  if (isToMany(role)) return role.min > 0 ? "1..*" : "*";
  return role.min > 0 ? "1" : "0..1";
}

function edgeOf(class_: ModelClass, role: Role, target: ModelClass): Edge {
  const back = target.roles.find(({ name }) => name === role.opposite);
  const ends = [`${class_.name}.${role.name}`, back ? `${target.name}.${back.name}` : ""].sort();
  return {
    id: ends.join(" "),
    from: class_.name,
    to: target.name,
    role,
    back,
    isComposition: role.kind === "COMPOSITION",
  };
}

function isOfService(name: string): boolean {
  return name.startsWith("_");
}
