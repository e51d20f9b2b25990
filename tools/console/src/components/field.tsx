// What all fields of forms have: a label, a description, an error and a warning.

import "./field.css";
import { Check, CircleAlert, Minus, Search, TriangleAlert, X } from "lucide-react";
import { type ReactNode, useId } from "react";
import {
  Checkbox as AriaCheckbox,
  type CheckboxProps as AriaCheckboxProps,
  SearchField as AriaSearchField,
  type SearchFieldProps as AriaSearchFieldProps,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
} from "react-aria-components";
import { t } from "../messages/messages";
import { IconButton } from "./button";

export interface FieldTexts {
  readonly label: string;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly warning?: string | undefined;
}

export function FieldLabel({
  children,
  isRequired = false,
}: {
  readonly children: ReactNode;
  readonly isRequired?: boolean;
}) {
  return <Label className={isRequired ? "field-label field-required" : "field-label"}>{children}</Label>;
}

/** The description, the warning and the error below a field of react-aria. */
export function FieldNotes({ description, error, warning }: Omit<FieldTexts, "label">) {
  return (
    <>
      {description && (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      {warning && !error && (
        <p className="field-warning">
          <TriangleAlert size={14} aria-hidden />
          <span className="user-text">{warning}</span>
        </p>
      )}
      <FieldError className="field-error">
        <CircleAlert size={14} aria-hidden />
        <span className="user-text">{error}</span>
      </FieldError>
    </>
  );
}

export interface TextFieldProps
  extends Omit<AriaTextFieldProps, "className" | "children" | "isInvalid">,
    FieldTexts {
  readonly placeholder?: string;
  readonly isMultiline?: boolean;
}

export function TextField({
  label,
  description,
  error,
  warning,
  placeholder,
  isMultiline = false,
  ...props
}: TextFieldProps) {
  const Control = isMultiline ? TextArea : Input;
  return (
    <AriaTextField {...props} className="field" isInvalid={Boolean(error)} validationBehavior="aria">
      <FieldLabel isRequired={props.isRequired ?? false}>{label}</FieldLabel>
      <Control className="input" dir="auto" {...(placeholder ? { placeholder } : {})} />
      <FieldNotes description={description} error={error} warning={warning} />
    </AriaTextField>
  );
}

interface SearchFieldProps extends Omit<AriaSearchFieldProps, "className" | "children"> {
  readonly label: string;
  readonly placeholder?: string;
}

/** A field to search in something. Its label is only for screen readers. */
export function SearchField({ label, placeholder = label, ...props }: SearchFieldProps) {
  return (
    <AriaSearchField {...props} aria-label={label} className="field">
      {({ isEmpty }) => (
        <div className="input-group">
          <Search aria-hidden />
          <Input className="input" dir="auto" placeholder={placeholder} />
          {!isEmpty && <IconButton icon={X} label={t("Clear")} isSmall />}
        </div>
      )}
    </AriaSearchField>
  );
}

interface CheckboxProps extends Omit<AriaCheckboxProps, "className" | "children"> {
  readonly children?: ReactNode;
}

export function Checkbox({ children, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className="checkbox">
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className="checkbox-box">
            {isIndeterminate ? <Minus aria-hidden /> : isSelected && <Check aria-hidden />}
          </span>
          {children}
        </>
      )}
    </AriaCheckbox>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectFieldProps extends FieldTexts {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly choices: readonly Choice[];
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  readonly onBlur?: () => void;
  readonly name?: string;
}

/** A native select, which phones show as people know it there. */
export function SelectField({
  label,
  description,
  error,
  warning,
  value,
  onChange,
  choices,
  ...props
}: SelectFieldProps) {
  const id = useId();
  const notes = [description && `${id}-description`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id} className={props.isRequired ? "field-label field-required" : "field-label"}>
        {label}
      </label>
      <select
        id={id}
        name={props.name}
        className="input"
        value={value}
        disabled={props.isDisabled ?? false}
        required={props.isRequired ?? false}
        aria-invalid={error ? true : undefined}
        aria-describedby={notes || undefined}
        onChange={(event) => onChange(event.target.value)}
        onBlur={props.onBlur}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      {description && (
        <span id={`${id}-description`} className="field-description">
          {description}
        </span>
      )}
      {warning && !error && <p className="field-warning user-text">{warning}</p>}
      {error && (
        <span id={`${id}-error`} className="field-error user-text">
          {error}
        </span>
      )}
    </div>
  );
}
