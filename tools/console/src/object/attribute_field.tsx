// The field of one attribute in a form.

import { memo } from "react";
import { fieldTitle } from "../description/field_title";
import type { Attribute } from "../description/model";
import { isSameValue, valueTypeOf } from "../values/registry";
import { ValueEditor } from "../values/value_editor";
import { type DraftPath, withValue } from "./draft";
import type { FormActions } from "./form_context";

interface AttributeFieldProps {
  readonly attribute: Attribute;
  readonly path: DraftPath;
  readonly value: unknown;
  /** The value as it was read. */
  readonly original: unknown;
  readonly error: string | undefined;
  readonly warning: string | undefined;
  readonly actions: FormActions;
}

/** Shows the editor of an attribute. It is drawn again only if something of it changes. */
export const AttributeField = memo(function AttributeField(props: AttributeFieldProps) {
  const { attribute, path, value, original, error, warning, actions } = props;
  const { name, required } = attribute;
  const change = (changed: unknown) =>
    actions.change(path, name, (draft) =>
      // What means the same as before is no change.
      withValue(draft, name, isSameValue(attribute, changed, original) ? original : changed),
    );
  return (
    <div className={valueTypeOf(attribute).isWide ? "object-field is-wide" : "object-field"}>
      <ValueEditor
        attribute={attribute}
        label={fieldTitle(name)}
        value={value ?? null}
        onChange={change}
        onBlur={() => actions.leave(path, name)}
        isRequired={required}
        error={error}
        warning={warning}
      />
    </div>
  );
});
