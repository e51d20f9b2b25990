// A few choices, all in view, of which one is taken.

import "./field.css";
import { Radio, RadioGroup } from "react-aria-components";
import { type Choice, FieldLabel, FieldNotes, type FieldTexts } from "./field";

interface RadioFieldProps extends FieldTexts {
  /** Null if no choice is taken yet. */
  readonly value: string | null;
  readonly onChange: (value: string) => void;
  readonly choices: readonly (Choice & { readonly description?: string | undefined })[];
  readonly isRequired?: boolean;
  readonly isReadOnly?: boolean;
  readonly onBlur?: (() => void) | undefined;
}

export function RadioField({
  label,
  description,
  error,
  warning,
  choices,
  onBlur,
  isRequired = false,
  ...props
}: RadioFieldProps) {
  return (
    <RadioGroup
      {...props}
      className="field"
      isRequired={isRequired}
      isInvalid={Boolean(error)}
      validationBehavior="aria"
      onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || onBlur?.()}
    >
      <FieldLabel isRequired={isRequired}>{label}</FieldLabel>
      <div className="radios">
        {choices.map((choice) => (
          <Radio key={choice.value} value={choice.value} className="radio">
            <span className="radio-dot" aria-hidden />
            <span>
              <span className="user-text">{choice.label}</span>
              {choice.description && <span className="radio-description">{choice.description}</span>}
            </span>
          </Radio>
        ))}
      </div>
      <FieldNotes description={description} error={error} warning={warning} />
    </RadioGroup>
  );
}
