// The parts of a role in a draft, and what can be done with them.

import { useCallback, useEffect, useState } from "react";
import { isToMany, type Role } from "../../description/model";
import { objectSelection, PAGE, partsField } from "../../documents/object";
import { type Draft, type DraftPath, withoutPart, withPart, withParts } from "../draft";
import { useForm } from "../form_context";
import { newDraft, partsOf } from "../reading";
import { useRoleReader } from "./use_role_reader";

interface StoredPage {
  readonly hasNext: boolean;
  readonly nextCursor: string | null;
}

export function useParts(role: Role, path: DraftPath, draft: Draft) {
  const { model, actions } = useForm();
  const reader = useRoleReader(role, path);
  const target = model.of(role.target);
  const drafts = draft.parts[role.name]?.drafts ?? [];
  /** Whether it is known which parts there are. */
  const isRead = draft.id === null || draft.parts[role.name] !== undefined;
  const first = draft.stored?.[role.name] as StoredPage | null | undefined;
  const [page, setPage] = useState(first);
  useEffect(() => setPage(first), [first]);

  const remove = useCallback(
    (part: Draft) => {
      actions.change(path, role.name, (each) => withoutPart(each, role.name, part));
      actions.leave(path, role.name);
    },
    [actions, path, role],
  );
  const restore = useCallback(
    (part: Draft) => {
      actions.change(path, role.name, (each) => {
        const parts = each.parts[role.name];
        if (!parts) return each;
        const restored = (found: Draft) =>
          found.clientId === part.clientId ? { ...found, isDeleted: false } : found;
        return withParts(each, role.name, { ...parts, drafts: parts.drafts.map(restored) });
      });
      actions.leave(path, role.name);
    },
    [actions, path, role],
  );

  return {
    target,
    drafts,
    isRead,
    hasMore: isToMany(role) && page?.hasNext === true,
    reader,
    /** Reads the parts, or the next page of them. */
    async readMore() {
      const selection = objectSelection(model, target, "edited", 0);
      const range = { next: PAGE.parts, cursor: page?.nextCursor ?? null };
      const found = await reader.read(partsField(role, selection, range));
      if (found === undefined) return;
      setPage(found as StoredPage | null);
      actions.addRead(path, role.name, partsOf(model, role, found));
    },
    add() {
      const part = newDraft(target);
      actions.change(path, role.name, (each) => withPart(each, role.name, isToMany(role), part));
    },
    remove,
    restore,
  };
}
