// A composition of many parts: rows or cards of their fields, within those of their whole.

import { Plus, Trash2, Undo2 } from "lucide-react";
import { memo, useCallback, useRef } from "react";
import { Button, IconButton } from "../../components/button";
import { Badge } from "../../components/feedback";
import type { Model, ModelClass } from "../../description/model";
import { titleOf } from "../../description/sidebar";
import { t } from "../../messages/messages";
import { valueTypeOf } from "../../values/registry";
import { type Draft, type DraftPath, partPath } from "../draft";
import { editedAttributes, formRoles } from "../fields";
import { useForm } from "../form_context";
import { PartFields } from "../object_fields";
import { countText } from "./links_field";
import { ReadMore } from "./read_more";
import type { RoleProps } from "./role_kinds";
import { RoleSection } from "./role_section";
import { useParts } from "./use_parts";

/** What a row has room for, in fields of a usual width. */
const ROW = 5;
/** Types whose fields take more of a row. */
const WIDTHS: Readonly<Record<string, number>> = { Datetime: 2, Date: 1.25 };
/** A field with an object has a button beside it. */
const REFERENCE = 1.5;

/** Whether the parts of a class are so small that each takes one row. */
function areRows(model: Model, class_: ModelClass): boolean {
  const attributes = editedAttributes(class_, true);
  const roles = formRoles(model, class_, { isNew: true, isReadOnly: false, areFields: true });
  if (attributes.some((attribute) => valueTypeOf(attribute).isWide)) return false;
  const width = attributes.reduce((sum, { type }) => sum + (WIDTHS[type] ?? 1), 0);
  return width + roles.length * REFERENCE <= ROW;
}

export function PartsField({ role, path, draft, original, isReadOnly }: RoleProps) {
  const { model } = useForm();
  const list = useRef<HTMLUListElement>(null);
  const adder = useRef<HTMLButtonElement>(null);
  const { target, drafts, isRead, hasMore, reader, readMore, add, remove, restore } = useParts(
    role,
    path,
    draft,
  );
  const label = { class: titleOf(target.name) };
  const count = drafts.filter(({ isDeleted }) => !isDeleted).length;

  /** The button that removed a new part goes with it. */
  const removeAndFocus = useCallback(
    (part: Draft) => {
      remove(part);
      if (part.id === null) adder.current?.focus();
    },
    [remove],
  );

  function addAndFocus() {
    add();
    // The new part is drawn first.
    requestAnimationFrame(() =>
      list.current
        ?.querySelector<HTMLElement>(":scope > li:last-child :is(input, textarea, select)")
        ?.focus(),
    );
  }

  return (
    <RoleSection role={role} path={path} count={countText(count, hasMore)}>
      {isRead && drafts.length === 0 && <p className="quiet">{t("None yet.")}</p>}
      {drafts.length > 0 && (
        <ul ref={list} className={areRows(model, target) && !isReadOnly ? "parts is-rows" : "parts"}>
          {drafts.map((part) => (
            <PartItem
              key={part.clientId}
              path={partPath(path, role.name, part)}
              part={part}
              original={original?.parts[role.name]?.drafts.find(({ id }) => id === part.id)}
              target={target}
              isReadOnly={isReadOnly}
              onRemove={removeAndFocus}
              onRestore={restore}
            />
          ))}
        </ul>
      )}
      {(!isRead || hasMore || reader.error) && (
        <ReadMore
          reader={reader}
          label={isRead ? t("Show more") : t("Show")}
          onPress={() => void readMore()}
        />
      )}
      {!isReadOnly && isRead && target.create !== "never" && (
        <div>
          <Button ref={adder} isSmall icon={Plus} onPress={addAndFocus}>
            {t("Add {class}", label)}
          </Button>
        </div>
      )}
    </RoleSection>
  );
}

function nameOf(part: Draft, target: ModelClass): string {
  return part.label ?? t("New {class}", { class: titleOf(target.name) });
}

interface PartItemProps {
  readonly path: DraftPath;
  readonly part: Draft;
  readonly original: Draft | undefined;
  readonly target: ModelClass;
  readonly isReadOnly: boolean;
  readonly onRemove: (part: Draft) => void;
  readonly onRestore: (part: Draft) => void;
}

/** Shows one part. Changes of the others don't draw it again. */
const PartItem = memo(function PartItem(props: PartItemProps) {
  const { path, part, original, target, isReadOnly, onRemove, onRestore } = props;
  if (part.isDeleted) {
    return (
      <li className="part is-removed">
        <div className="part-removed">
          <span className="user-text">{part.label ?? titleOf(target.name)}</span>
          <Badge kind="error">{t("Deleted when you save")}</Badge>
          <Button isSmall variant="quiet" icon={Undo2} onPress={() => onRestore(part)} autoFocus>
            {t("Undo")}
          </Button>
        </div>
      </li>
    );
  }
  const isStored = part.id !== null;
  return (
    <li className="part">
      <fieldset aria-label={nameOf(part, target)} className="part-content">
        <PartFields
          path={path}
          draft={part}
          original={original}
          isReadOnly={isReadOnly || (isStored && target.edit === "never")}
        />
        {!isReadOnly && (!isStored || target.delete !== "never") && (
          <IconButton
            icon={Trash2}
            isSmall
            label={t("Remove {object}", { object: nameOf(part, target) })}
            onPress={() => onRemove(part)}
          />
        )}
      </fieldset>
    </li>
  );
});
