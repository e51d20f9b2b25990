// An association to one object: a field that finds it, and a link to it.

import { ExternalLink, Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Link } from "wouter";
import { IconButton } from "../../components/button";
import { fieldTitle } from "../../description/field_title";
import { isToMany } from "../../description/model";
import { titleOf } from "../../description/sidebar";
import { isShownRole } from "../../documents/object";
import { canWrite } from "../../documents/write";
import { t } from "../../messages/messages";
import { Nothing } from "../../values/value_text";
import { type Reference, withReference } from "../draft";
import { useForm, useIssues } from "../form_context";
import { fieldKey, messagesOf } from "../issues";
import { ShownField } from "../shown_field";
import { addressOf, ObjectLink } from "./object_link";
import { ObjectPicker } from "./object_picker";
import type { RoleProps } from "./role_kinds";
import { useOwner } from "./use_owner";

const CreateDialog = lazy(() => import("../create_dialog"));

export function ReferenceField({ role, path, draft, isReadOnly }: RoleProps) {
  const { model, actions } = useForm();
  const issues = useIssues();
  const owner = useOwner(path);
  const [isCreating, setCreating] = useState(false);
  const target = model.of(role.target);
  const value = draft.references[role.name] ?? null;
  const label = fieldTitle(role.name);

  if (isReadOnly) {
    return (
      <ShownField label={label} description={role.description}>
        {value ? <ObjectLink class_={target} target={value} /> : <Nothing />}
      </ShownField>
    );
  }

  const found = issues.fields.get(fieldKey(path, role.name));
  const choose = (chosen: Reference | null) => {
    actions.change(path, role.name, (each) => withReference(each, role.name, chosen));
    actions.leave(path, role.name);
  };
  const address = value && addressOf(target, value.id);
  const canCreate = !value && canWrite(target, "create") && !isToMany(role) && isShownRole(model, role);
  return (
    <div className="object-field">
      <ObjectPicker
        role={role}
        owner={owner}
        label={label}
        description={role.description}
        error={messagesOf(found, "ERROR")}
        warning={messagesOf(found, "WARNING")}
        value={value}
        onChange={choose}
        onBlur={() => actions.leave(path, role.name)}
        isRequired={role.min > 0}
        beside={
          <>
            {address && (
              <Link
                href={address}
                className="button button-quiet button-icon"
                aria-label={t("Open {object}", { object: value.label || value.id })}
              >
                <ExternalLink aria-hidden />
              </Link>
            )}
            {canCreate && (
              <IconButton
                slot={null}
                icon={Plus}
                label={t("New {class}", { class: titleOf(target.name) })}
                onPress={() => setCreating(true)}
              />
            )}
          </>
        }
      />
      {isCreating && (
        <Suspense>
          <CreateDialog
            class_={target}
            onClose={() => setCreating(false)}
            onCreated={(created) => {
              setCreating(false);
              choose(created);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
