// The fields of an object or of a part: its attributes and associations in a grid, and its other roles below.

import { memo, type ReactNode, useMemo } from "react";
import { EditingContext } from "../values/editing_context";
import { AttributeField } from "./attribute_field";
import { type Draft, type DraftPath, ROOT } from "./draft";
import { editedAttributes, factsOf, formRoles, shownAttributes } from "./fields";
import { useForm, useIssues } from "./form_context";
import { fieldKey, messagesOf } from "./issues";
import { roleKindOf } from "./roles/role_kinds";
import { ShownAttribute } from "./shown_field";

interface ObjectFieldsProps {
  readonly path: DraftPath;
  readonly draft: Draft;
  /** The draft as it was read, or undefined if the object is new. */
  readonly original: Draft | undefined;
  readonly isReadOnly: boolean;
  /** Whether a field is shown, by its name. */
  readonly isWanted?: (name: string) => boolean;
}

/** Shows the attributes of an object, and its associations to one. */
export function FieldGrid({ path, draft, original, isReadOnly, isWanted = () => true }: ObjectFieldsProps) {
  const { model, actions } = useForm();
  const issues = useIssues();
  const class_ = model.of(draft.className);
  const isNew = draft.id === null;
  const editing = useMemo(
    () => ({ className: draft.className, objectId: draft.id, isPart: path !== ROOT }),
    [draft.className, draft.id, path],
  );
  const roles = formRoles(model, class_, { isNew, isReadOnly, areFields: true })
    // A part stands within its whole.
    .filter(({ role }) => isWanted(role.name) && (path === ROOT || role.kind !== "WHOLE"))
    .map((each) => ({ ...each, Field: roleKindOf(each.role).Field }));
  const edited = isReadOnly ? [] : editedAttributes(class_, isNew).filter(({ name }) => isWanted(name));
  // The page of an object shows its facts in a place of their own.
  const unedited = isNew || path === ROOT ? [] : factsOf(class_);
  const shown = (isReadOnly ? shownAttributes(class_) : unedited).filter(({ name }) => isWanted(name));
  const roleField = ({ role, isReadOnly, Field }: (typeof roles)[number]) => (
    <Field
      key={role.name}
      role={role}
      path={path}
      draft={draft}
      original={original}
      isReadOnly={isReadOnly}
    />
  );
  const facts = roles.filter((each) => each.isReadOnly);
  return (
    <EditingContext value={editing}>
      {!isReadOnly && edited.length + roles.length > facts.length && (
        <div className="form-grid">
          {edited.map((attribute) => {
            const found = issues.fields.get(fieldKey(path, attribute.name));
            return (
              <AttributeField
                key={attribute.name}
                attribute={attribute}
                path={path}
                value={draft.values[attribute.name]}
                original={original?.values[attribute.name]}
                error={messagesOf(found, "ERROR")}
                warning={messagesOf(found, "WARNING")}
                actions={actions}
              />
            );
          })}
          {roles.filter((each) => !each.isReadOnly).map(roleField)}
        </div>
      )}
      {shown.length + facts.length > 0 && (
        <dl className="shown-grid">
          {shown.map((attribute) => (
            <ShownAttribute
              key={attribute.name}
              attribute={attribute}
              value={draft.stored?.[attribute.name]}
            />
          ))}
          {facts.map(roleField)}
        </dl>
      )}
    </EditingContext>
  );
}

/** Shows the other roles of an object: its parts, and its associations to many. */
export function RoleFields({ path, draft, original, isReadOnly, isWanted = () => true }: ObjectFieldsProps) {
  const { model } = useForm();
  const class_ = model.of(draft.className);
  const roles = formRoles(model, class_, { isNew: draft.id === null, isReadOnly, areFields: false });
  return roles
    .filter(({ role }) => isWanted(role.name))
    .map((each): ReactNode => {
      const { Field } = roleKindOf(each.role);
      return (
        <Field
          key={each.role.name}
          role={each.role}
          path={path}
          draft={draft}
          original={original}
          isReadOnly={each.isReadOnly}
        />
      );
    });
}

/** Shows all fields of a part, and what is wrong with it as a whole. Other parts don't draw it again. */
export const PartFields = memo(function PartFields(props: ObjectFieldsProps) {
  const issues = useIssues();
  const found = issues.objects.get(props.path);
  const error = messagesOf(found, "ERROR");
  const warning = messagesOf(found, "WARNING");
  return (
    <>
      {error && <p className="field-error user-text">{error}</p>}
      {warning && <p className="field-warning user-text">{warning}</p>}
      <FieldGrid {...props} />
      <RoleFields {...props} />
    </>
  );
});
