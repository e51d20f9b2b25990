// The object that a part belongs to. Parts never change their whole.

import { fieldTitle } from "../../description/field_title";
import type { StoredObject } from "../../description/stored_object";
import { referenceOf } from "../draft";
import { useForm } from "../form_context";
import { ShownField } from "../shown_field";
import { ObjectLink } from "./object_link";
import type { RoleProps } from "./role_kinds";

export function WholeField({ role, draft }: RoleProps) {
  const { model } = useForm();
  const whole = referenceOf(draft.stored?.[role.name] as StoredObject | null | undefined);
  if (!whole) return null;
  return (
    <ShownField label={fieldTitle(role.name)} description={role.description}>
      <ObjectLink class_={model.of(role.target)} target={whole} />
    </ShownField>
  );
}
