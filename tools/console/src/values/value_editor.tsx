// The field of a form for a value of any type.

import "./values.css";
import { Suspense } from "react";
import { valueTypeOf } from "./registry";
import type { EditorProps } from "./value_type";

/** Shows the editor of an attribute's type, and its label while the editor loads. */
export function ValueEditor(props: EditorProps) {
  const { Editor } = valueTypeOf(props.attribute);
  return (
    <Suspense fallback={<LoadingEditor label={props.label} />}>
      <Editor {...props} />
    </Suspense>
  );
}

function LoadingEditor({ label }: { readonly label: string }) {
  return (
    <div className="field" aria-busy>
      <span className="field-label">{label}</span>
      <span className="input" aria-hidden />
    </div>
  );
}
