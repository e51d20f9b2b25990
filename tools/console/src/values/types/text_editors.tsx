// The fields of String, Text and Serial.

import { type Choice, SelectField, TextField } from "../../components/field";
import { t } from "../../messages/messages";
import type { EditorProps } from "../value_type";
import { editorTexts } from "./editor_texts";

type Domain = Readonly<Record<string, unknown>>;

export function StringEditor(props: EditorProps) {
  const { attribute, value, onChange, onBlur, isRequired, isReadOnly } = props;
  const { domain = {} } = attribute;
  if (Array.isArray(domain["values"]) && !isReadOnly) return <ListedEditor {...props} />;
  return (
    <TextField
      {...editorTexts(props)}
      {...kindOfInput(domain)}
      name={attribute.name}
      value={asText(value)}
      onChange={(text) => onChange(text === "" ? null : text)}
      isRequired={isRequired ?? false}
      isReadOnly={isReadOnly ?? false}
      {...(onBlur ? { onBlur } : {})}
    />
  );
}

export function TextEditor(props: EditorProps) {
  const { attribute, value, onChange, onBlur, isRequired, isReadOnly } = props;
  return (
    <TextField
      {...editorTexts(props)}
      isMultiline
      name={attribute.name}
      value={asText(value)}
      onChange={(text) => onChange(text === "" ? null : text)}
      isRequired={isRequired ?? false}
      isReadOnly={isReadOnly ?? false}
      {...(onBlur ? { onBlur } : {})}
    />
  );
}

/** A value that the service alone sets. */
export function ReadOnlyEditor(props: EditorProps) {
  const { value } = props;
  const texts = editorTexts(props);
  return (
    <TextField
      {...texts}
      value={asText(value)}
      isReadOnly
      placeholder={value === null ? t("Assigned when the object is saved") : ""}
    />
  );
}

/** A text that is one of those that the domain lists. */
function ListedEditor(props: EditorProps) {
  const { attribute, value, onChange, onBlur, isRequired } = props;
  const values = attribute.domain?.["values"] as readonly string[];
  return (
    <SelectField
      {...editorTexts(props)}
      name={attribute.name}
      value={asText(value)}
      onChange={(text) => onChange(text === "" ? null : text)}
      choices={selectChoices(
        values.map((text) => ({ value: text, label: text })),
        value,
        isRequired,
      )}
      isRequired={isRequired ?? false}
      {...(onBlur ? { onBlur } : {})}
    />
  );
}

/** Returns the choices of a select, with one for no value, and one for a value that the model no longer lists. */
export function selectChoices(choices: readonly Choice[], value: unknown, isRequired = false): Choice[] {
  const text = asText(value);
  const isKnown = text === "" || choices.some((choice) => choice.value === text);
  return [
    ...(isRequired && text !== "" ? [] : [{ value: "", label: isRequired ? t("Choose…") : t("No value") }]),
    ...choices,
    ...(isKnown ? [] : [{ value: text, label: text }]),
  ];
}

export function asText(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}

/** Keyboards of phones fit what is typed. What is right is for the service to say. */
function kindOfInput(domain: Domain) {
  if (domain["email"]) return { inputMode: "email", autoCapitalize: "none", spellCheck: "false" } as const;
  if (domain["phone"]) return { inputMode: "tel" } as const;
  if (domain["partitaIva"]) return { inputMode: "numeric" } as const;
  if (domain["pattern"] || domain["codiceFiscale"]) return { spellCheck: "false" } as const;
  return {};
}
