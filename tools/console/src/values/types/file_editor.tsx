// The field of a file.

import type { EditorProps } from "../value_type";
import type { FileValue } from "./file";
import { ReadOnlyEditor } from "./text_editors";

export function FileEditor(props: EditorProps) {
  const file = props.value as FileValue | null;
  return <ReadOnlyEditor {...props} value={file?.name ?? ""} />;
}
