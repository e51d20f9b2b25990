// The editors of types load when a form is opened, together with its object, so that no field is shown without them.

import { type ComponentType, lazy } from "react";
import type { EditorProps, ValueType } from "./value_type";

type Editor = Pick<ValueType, "Editor" | "load">;

/** Returns a function that gives a type the editor with a name, of a module that loads when it is needed. */
export function lazyEditors<M extends object>(load: () => Promise<M>): (name: keyof M) => Editor {
  let module: Promise<M> | undefined;
  let loaded: M | undefined;
  const start = async () => {
    module ??= load();
    try {
      loaded = await module;
    } catch (error) {
      module = undefined;
      throw error;
    }
    return loaded;
  };
  return (name) => ({
    load: start,
    Editor: lazy(() => {
      const editor = (found: M) => ({ default: found[name] as ComponentType<EditorProps> });
      // React shows at once what is there at once. A promise would leave the field empty for a while.
      return loaded ? fulfilled(editor(loaded)) : start().then(editor);
    }),
  });
}

/** Returns what is already there in place of a promise of it. */
function fulfilled<T>(value: T): Promise<T> {
  // biome-ignore lint/suspicious/noThenProperty: React asks nothing else of a promise.
  return { then: (use: (value: T) => void) => use(value) } as Promise<T>;
}
