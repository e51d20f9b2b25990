// An object as the API returns it: its id, and what a document selects.

export type StoredObject = Readonly<Record<string, unknown>> & {
  readonly _id: string;
  readonly _label?: string | null;
  readonly _revision?: string | null;
};

/** Returns what people know an object by: its label, or its id if the class has no labels. */
export function labelOf(object: StoredObject): string {
  return object._label || object._id;
}
