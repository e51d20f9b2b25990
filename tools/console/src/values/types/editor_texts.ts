// What all editors show beside the value.

import type { FieldTexts } from "../../components/field";
import { problemOf } from "../registry";
import type { EditorProps } from "../value_type";

type Shown = Pick<EditorProps, "attribute" | "label" | "value" | "description" | "error" | "warning">;

/** Returns the label, the description and the error of a field. The service's error comes first. */
export function editorTexts(props: Shown, isLeft = true): FieldTexts {
  const { attribute, label, value, description = attribute.description, error, warning } = props;
  const problem = isLeft ? (problemOf(attribute, value) ?? undefined) : undefined;
  return { label, description, error: error ?? problem, warning };
}
