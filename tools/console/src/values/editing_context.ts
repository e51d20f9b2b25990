// The object that a form edits, for editors that need to know: files are uploaded for an attribute of a class.

import { createContext } from "react";

export interface Editing {
  readonly className: string;
  /** Null while the object is created. */
  readonly objectId: string | null;
  /** Whether it is a part among others, whose fields have little room. */
  readonly isPart?: boolean;
}

export const EditingContext = createContext<Editing | null>(null);
