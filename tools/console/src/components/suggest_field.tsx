// A field for a text, with suggestions that are searched by what is typed.

import "./suggest_field.css";
import { ChevronDown } from "lucide-react";
import {
  Button as AriaButton,
  ComboBox,
  Input,
  ListBox,
  ListBoxItem,
  Popover,
  Text,
} from "react-aria-components";
import { FieldLabel, FieldNotes, type FieldTexts } from "./field";

export interface Suggestion {
  readonly value: string;
  /** What the value means, such as an example. */
  readonly note?: string | null;
}

interface SuggestFieldProps extends Omit<FieldTexts, "warning"> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly suggestions: readonly Suggestion[];
  readonly isRequired?: boolean;
}

export function SuggestField({
  label,
  description,
  error,
  value,
  onChange,
  suggestions,
  isRequired = false,
}: SuggestFieldProps) {
  return (
    <ComboBox
      className="field"
      inputValue={value}
      onInputChange={onChange}
      defaultItems={suggestions.map((each) => ({ ...each, id: each.value }))}
      allowsCustomValue
      isRequired={isRequired}
      isInvalid={Boolean(error)}
      validationBehavior="aria"
    >
      <FieldLabel isRequired={isRequired}>{label}</FieldLabel>
      <div className="input-group">
        <Input className="input input-before-button" dir="auto" spellCheck="false" />
        <AriaButton className="button button-quiet button-icon button-small">
          <ChevronDown aria-hidden />
        </AriaButton>
      </div>
      <FieldNotes description={description} error={error} />
      <Popover className="popover suggest-popover" offset={4}>
        <ListBox<Suggestion & { readonly id: string }> className="menu">
          {({ id, note }) => (
            <ListBoxItem className="menu-item suggest-item" textValue={id}>
              <Text slot="label">{id}</Text>
              {note && (
                <Text slot="description" className="quiet">
                  {note}
                </Text>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
