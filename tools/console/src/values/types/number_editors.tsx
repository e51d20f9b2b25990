// The fields of numbers. What is typed stays as it is until the field is left; then it gets its separators.

import { useState } from "react";
import { TextField } from "../../components/field";
import { showDecimal } from "../decimals";
import type { EditorProps } from "../value_type";
import { editorTexts } from "./editor_texts";
import { parseWhole } from "./int";
import { parseReal } from "./real";
import { asText } from "./text_editors";

export function IntEditor(props: EditorProps) {
  return <NumberEditor {...props} parse={parseWhole} show={showDecimal} inputMode="numeric" />;
}

export function YearEditor(props: EditorProps) {
  return <NumberEditor {...props} parse={parseWhole} show={String} inputMode="numeric" />;
}

export function RealEditor(props: EditorProps) {
  const digits = Number(props.attribute.domain?.["digits"] ?? 0);
  const show = (number: string) => showDecimal(number, digits);
  return <NumberEditor {...props} parse={parseReal} show={show} inputMode="decimal" />;
}

interface NumberEditorProps extends EditorProps {
  /** Returns the number that a text means, or the text itself if it means none. */
  readonly parse: (text: string) => number | string;
  readonly show: (number: string) => string;
  readonly inputMode: "numeric" | "decimal";
}

function NumberEditor({ parse, show, inputMode, ...props }: NumberEditorProps) {
  const { attribute, value, onChange, onBlur, isRequired, isReadOnly } = props;
  const shown = show(asText(value));
  const [typed, setTyped] = useState({ value, text: shown, isLeft: true });
  // The form has another value than what was typed, such as after it is reset.
  const text = Object.is(typed.value, value) ? typed.text : shown;

  function change(written: string) {
    const number = written.trim() === "" ? null : parse(written);
    setTyped({ value: number, text: written, isLeft: false });
    onChange(number);
  }

  function leave() {
    setTyped({ value, text: shown, isLeft: true });
    onBlur?.();
  }

  return (
    <TextField
      {...editorTexts(props, typed.isLeft)}
      name={attribute.name}
      value={text}
      onChange={change}
      onBlur={leave}
      onKeyDown={({ key }) => key === "Enter" && setTyped({ ...typed, isLeft: true })}
      inputMode={inputMode}
      autoComplete="off"
      isRequired={isRequired ?? false}
      isReadOnly={isReadOnly ?? false}
    />
  );
}
