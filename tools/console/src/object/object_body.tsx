// What a page shows of an object: its fields and roles, and beside them what nobody types.

import { Copy } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { IconButton } from "../components/button";
import { Checkbox, SearchField } from "../components/field";
import { Section } from "../components/layout";
import { showToast } from "../components/toast";
import { fieldTitle } from "../description/field_title";
import type { Attribute } from "../description/model";
import { t } from "../messages/messages";
import { changesOf } from "./changes";
import { ROOT } from "./draft";
import { editedAttributes, factsOf, formRoles, platformFactsOf, shownAttributes } from "./fields";
import { FormContext, IssuesContext } from "./form_context";
import { FieldGrid, RoleFields } from "./object_fields";
import { ShownAttribute, ShownField } from "./shown_field";
import type { ObjectForm } from "./use_object_form";

/** A form with more fields than this has a field to find one. */
const MANY = 20;

interface ObjectBodyProps {
  readonly form: ObjectForm;
  readonly isReadOnly: boolean;
}

export function ObjectBody({ form, isReadOnly }: ObjectBodyProps) {
  const { model, class_, draft, original } = form;
  const isNew = draft.id === null;
  const [search, setSearch] = useState("");
  const [isFilledOnly, setFilledOnly] = useState(false);
  const options = { isNew, isReadOnly, areFields: true };
  const attributes = isReadOnly ? shownAttributes(class_) : editedAttributes(class_, isNew);
  const names = [...attributes, ...formRoles(model, class_, options).map(({ role }) => role)].map(
    ({ name }) => name,
  );
  const filled = useFilled(form, isReadOnly);
  const isWanted = (name: string) =>
    matches(name, search) && (!isFilledOnly || filled.has(name) || isRoleSection(form, name));
  const original_ = isNew ? undefined : original;
  return (
    <FormContext value={form.context}>
      <IssuesContext value={form.issues}>
        <div className="object-layout">
          <div className="object-main">
            {names.length > 0 && (
              <Section
                title={t("Details")}
                actions={
                  names.length > MANY && (
                    <>
                      <Checkbox isSelected={isFilledOnly} onChange={setFilledOnly}>
                        {t("Only filled fields")}
                      </Checkbox>
                      <div className="field-search">
                        <SearchField label={t("Find a field")} value={search} onChange={setSearch} />
                      </div>
                    </>
                  )
                }
              >
                <FieldGrid
                  path={ROOT}
                  draft={draft}
                  original={original_}
                  isReadOnly={isReadOnly}
                  isWanted={isWanted}
                />
                {names.every((name) => !isWanted(name)) && (
                  <p className="quiet">{t("No field has this in its name.")}</p>
                )}
              </Section>
            )}
            <RoleFields path={ROOT} draft={draft} original={original_} isReadOnly={isReadOnly} />
          </div>
          {!isNew && <ObjectFacts form={form} isReadOnly={isReadOnly} />}
        </div>
      </IssuesContext>
    </FormContext>
  );
}

function matches(name: string, search: string): boolean {
  const wanted = search.trim().toLocaleLowerCase();
  return name.toLocaleLowerCase().includes(wanted) || fieldTitle(name).toLocaleLowerCase().includes(wanted);
}

function isRoleSection({ class_ }: ObjectForm, name: string): boolean {
  return class_.roles.some((role) => role.name === name && role.max !== 1);
}

/** Returns the fields with a value when the form was read, and those that were changed since. */
function useFilled({ draft, original }: ObjectForm, isReadOnly: boolean): ReadonlySet<string> {
  return useMemo(() => {
    const values = isReadOnly ? (draft.stored ?? {}) : original.values;
    const hasValue = ([, value]: [string, unknown]) => value !== null && value !== "";
    const { attributes, roles } = changesOf(draft, original);
    return new Set([
      ...[...Object.entries(values), ...Object.entries(original.references)]
        .filter(hasValue)
        .map(([name]) => name),
      ...attributes,
      ...roles,
    ]);
  }, [draft, original, isReadOnly]);
}

/** Shows what nobody types: derived values, who has made and changed the object, and its id. */
function ObjectFacts({ form, isReadOnly }: ObjectBodyProps) {
  const { class_, original } = form;
  const titleId = useId();
  const stored: Readonly<Record<string, unknown>> = original.stored ?? {};
  const derived = isReadOnly ? [] : factsOf(class_);
  const facts = [...derived, ...platformFactsOf(class_)];
  const hasValue = ({ name }: Attribute) => (stored[name] ?? "") !== "";
  const since = original.stored?.["_versionStart"];
  return (
    <aside className="object-facts card" aria-labelledby={titleId}>
      <h2 id={titleId}>{t("Facts")}</h2>
      <dl>
        {facts.filter(hasValue).map((attribute) => (
          <ShownAttribute key={attribute.name} attribute={attribute} value={stored[attribute.name]} />
        ))}
        {typeof since === "string" && <ShownField label={t("This version since")}>{since}</ShownField>}
        {original.id && !original.isSingleton && (
          <ShownField label={t("ID")}>
            <span className="object-id">
              <code>{original.id}</code>
              <IconButton
                icon={Copy}
                isSmall
                label={t("Copy the ID")}
                onPress={() => {
                  void navigator.clipboard?.writeText(original.id ?? "");
                  showToast(t("Copied."));
                }}
              />
            </span>
          </ShownField>
        )}
      </dl>
    </aside>
  );
}
