// A field for a password, which can show it, and says when Caps Lock is on.

import { Eye, EyeOff } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  Input,
} from "react-aria-components";
import { t } from "../messages/messages";
import { IconButton } from "./button";
import { FieldLabel, FieldNotes, type FieldTexts } from "./field";

export interface PasswordFieldProps
  extends Omit<AriaTextFieldProps, "className" | "children" | "isInvalid" | "type">,
    FieldTexts {}

export function PasswordField({ label, description, error, ...props }: PasswordFieldProps) {
  const [isShown, setShown] = useState(false);
  const [hasCapsLock, setCapsLock] = useState(false);
  const look = (event: KeyboardEvent) => setCapsLock(event.getModifierState("CapsLock"));
  return (
    <AriaTextField
      {...props}
      type={isShown ? "text" : "password"}
      spellCheck="false"
      className="field"
      isInvalid={Boolean(error)}
      validationBehavior="aria"
    >
      <FieldLabel isRequired={props.isRequired ?? false}>{label}</FieldLabel>
      <div className="input-group">
        <Input className="input input-before-button" autoCapitalize="none" onKeyDown={look} onKeyUp={look} />
        <IconButton
          icon={isShown ? EyeOff : Eye}
          label={isShown ? t("Hide the password") : t("Show the password")}
          isSmall
          onPress={() => setShown(!isShown)}
        />
      </div>
      <FieldNotes
        description={description}
        error={error}
        warning={hasCapsLock ? t("Caps Lock is on.") : undefined}
      />
    </AriaTextField>
  );
}
