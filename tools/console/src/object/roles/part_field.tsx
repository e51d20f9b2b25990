// A composition of one part: its fields, within those of its whole.

import { Plus, Trash2, Undo2 } from "lucide-react";
import { Button } from "../../components/button";
import { titleOf } from "../../description/sidebar";
import { t } from "../../messages/messages";
import { partPath } from "../draft";
import { PartFields } from "../object_fields";
import { ReadMore } from "./read_more";
import type { RoleProps } from "./role_kinds";
import { RoleSection } from "./role_section";
import { useParts } from "./use_parts";

export function PartField({ role, path, draft, original, isReadOnly }: RoleProps) {
  const { target, drafts, isRead, reader, readMore, add, remove, restore } = useParts(role, path, draft);
  const part = drafts.find(({ isDeleted }) => !isDeleted);
  const deleted = drafts.find(({ isDeleted }) => isDeleted);
  const canAdd = !isReadOnly && isRead && target.create !== "never";
  const canRemove = part && !isReadOnly && (part.id === null || target.delete !== "never");
  const label = { class: titleOf(target.name) };

  const actions = (
    <>
      {!part && deleted && (
        <Button isSmall variant="quiet" icon={Undo2} onPress={() => restore(deleted)}>
          {t("Undo")}
        </Button>
      )}
      {!part && canAdd && (
        <Button isSmall icon={Plus} onPress={add}>
          {t("Add {class}", label)}
        </Button>
      )}
      {canRemove && (
        <Button isSmall variant="quiet" icon={Trash2} onPress={() => remove(part)}>
          {t("Remove")}
        </Button>
      )}
    </>
  );

  return (
    <RoleSection role={role} path={path} actions={actions}>
      {!isRead && <ReadMore reader={reader} label={t("Show")} onPress={() => void readMore()} />}
      {isRead && !part && <p className="quiet">{deleted ? t("Deleted when you save.") : t("None yet.")}</p>}
      {part && (
        <PartFields
          key={part.clientId}
          path={partPath(path, role.name, part)}
          draft={part}
          original={original?.parts[role.name]?.drafts.find(({ id }) => id === part.id)}
          isReadOnly={isReadOnly || (part.id !== null && target.edit === "never")}
        />
      )}
    </RoleSection>
  );
}
