// The addresses of an object as of an instant.

import { paths } from "../app/routes";
import { atInstant } from "../as_of/as_of";
import type { ModelClass } from "../description/model";

/** Returns the address of the page of an object, as of an instant or, if that is null, as of now. */
export function objectPath(class_: ModelClass, id: string, instant: string | null): string {
  const path = class_.kind === "SINGLETON" ? paths.singleton(class_.name) : paths.object(class_.name, id);
  return instant === null ? path : atInstant(path, instant);
}
