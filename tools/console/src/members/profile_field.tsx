// Chooses one of the model's profiles.

import { SelectField } from "../components/field";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";

interface ProfileFieldProps {
  readonly value: string;
  readonly onChange: (profile: string) => void;
  readonly error?: string | undefined;
}

export function ProfileField({ value, onChange, error }: ProfileFieldProps) {
  const { profiles } = useModel();
  const chosen = profiles.find(({ name }) => name === value);
  const isUnknown = value !== "" && !chosen; // the model has changed since
  return (
    <SelectField
      label={t("Profile")}
      value={value}
      onChange={onChange}
      choices={[...profiles.map(({ name }) => name), ...(isUnknown ? [value] : [])].map((name) => ({
        value: name,
        label: name,
      }))}
      description={
        chosen?.administrator
          ? t("An administrator can do everything, also with members.")
          : t("What the member can do is in the grants of the model.")
      }
      error={error}
      isRequired
    />
  );
}
