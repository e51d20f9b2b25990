// The fields of Boolean and of enums.

import { useContext } from "react";
import { SelectField } from "../../components/field";
import { RadioField } from "../../components/radio_field";
import { t } from "../../messages/messages";
import { EditingContext } from "../editing_context";
import type { EditorProps } from "../value_type";
import { editorTexts } from "./editor_texts";
import { describedValue, titleOfValue } from "./enumeration";
import { asText, selectChoices } from "./text_editors";

/** More values than this are in a list that opens. */
const FEW = 4;
const BOOLEANS: Readonly<Record<string, boolean | null>> = { true: true, false: false, "": null };

/** Yes, no, and no value unless the value is required. */
export function BooleanEditor(props: EditorProps) {
  const { value, onChange, onBlur, isRequired = false, isReadOnly = false } = props;
  const choices = [
    { value: "true", label: t("Yes") },
    { value: "false", label: t("No") },
    ...(isRequired ? [] : [{ value: "", label: t("No value") }]),
  ];
  return (
    <RadioField
      {...editorTexts(props)}
      value={isRequired && value === null ? null : asText(value)}
      onChange={(text) => onChange(BOOLEANS[text] ?? null)}
      choices={choices}
      isRequired={isRequired}
      isReadOnly={isReadOnly}
      onBlur={onBlur}
    />
  );
}

export function EnumEditor(props: EditorProps) {
  const { attribute, value, onChange, onBlur, isRequired = false, isReadOnly = false } = props;
  const { values = [] } = attribute;
  const texts = editorTexts(props);
  const isPart = useContext(EditingContext)?.isPart ?? false;
  if (isRequired && !isPart && values.length <= FEW) {
    return (
      <RadioField
        {...texts}
        value={value === null ? null : asText(value)}
        onChange={onChange}
        choices={values.map(({ name, description }) => ({
          value: name,
          label: titleOfValue(name),
          description,
        }))}
        isRequired
        isReadOnly={isReadOnly}
        onBlur={onBlur}
      />
    );
  }
  return (
    <SelectField
      {...texts}
      name={attribute.name}
      value={asText(value)}
      onChange={(text) => onChange(text === "" ? null : text)}
      choices={selectChoices(
        values.map(({ name }) => ({ value: name, label: describedValue(name, attribute) })),
        value,
        isRequired,
      )}
      isRequired={isRequired}
      isDisabled={isReadOnly}
      {...(onBlur ? { onBlur } : {})}
    />
  );
}
