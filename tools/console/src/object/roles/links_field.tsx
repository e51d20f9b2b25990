// An association to many objects: a list of them, with a field that adds one.

import { Undo2, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, IconButton } from "../../components/button";
import { Badge } from "../../components/feedback";
import { fieldTitle } from "../../description/field_title";
import type { ModelClass, Role } from "../../description/model";
import type { StoredObject } from "../../description/stored_object";
import { linksField, PAGE } from "../../documents/object";
import { t } from "../../messages/messages";
import {
  type Draft,
  type DraftPath,
  NO_LINKS,
  type Reference,
  referenceOf,
  withLink,
  withoutLink,
} from "../draft";
import { useForm } from "../form_context";
import { ObjectLink } from "./object_link";
import { ObjectPicker } from "./object_picker";
import { ReadMore } from "./read_more";
import type { RoleProps } from "./role_kinds";
import { RoleSection } from "./role_section";
import { useOwner } from "./use_owner";
import { useRoleReader } from "./use_role_reader";

interface StoredPage {
  readonly items: readonly StoredObject[];
  readonly hasNext: boolean;
  readonly nextCursor: string | null;
}

const EMPTY: StoredPage = { items: [], hasNext: false, nextCursor: null };

/** Returns the objects that a role of a stored object has led to, and reads more of them. */
function useStoredLinks(role: Role, path: DraftPath, draft: Draft, target: ModelClass) {
  const reader = useRoleReader(role, path);
  const first = draft.id === null ? EMPTY : (draft.stored?.[role.name] as StoredPage | null | undefined);
  const [page, setPage] = useState(first);
  useEffect(() => setPage(first), [first]);

  async function readMore() {
    const range = { next: page ? 50 : PAGE.links, cursor: page?.nextCursor ?? null };
    const found = (await reader.read(linksField(role, target, range))) as StoredPage | null;
    if (found) setPage({ ...found, items: [...(page?.items ?? []), ...found.items] });
  }

  return { page, reader, readMore };
}

export function LinksField({ role, path, draft, isReadOnly }: RoleProps) {
  const { model, actions } = useForm();
  const owner = useOwner(path);
  const target = model.of(role.target);
  const { page, reader, readMore } = useStoredLinks(role, path, draft, target);
  const { added, removed } = draft.links[role.name] ?? NO_LINKS;
  const stored = (page?.items ?? []).flatMap((item) => referenceOf(item) ?? []);
  const isRemoved = ({ id }: Reference) => removed.some((each) => each.id === id);
  const isEmpty = page !== undefined && stored.length + added.length === 0;

  const [round, setRound] = useState(0);
  const add = (link: Reference) => {
    actions.change(path, role.name, (each) => withLink(each, role.name, link));
    actions.leave(path, role.name);
  };
  const remove = (link: Reference) => {
    actions.change(path, role.name, (each) => withoutLink(each, role.name, link));
    actions.leave(path, role.name);
  };

  return (
    <RoleSection role={role} path={path} count={page ? countText(stored.length, page.hasNext) : undefined}>
      {isEmpty && <p className="quiet">{t("None yet.")}</p>}
      {stored.length + added.length > 0 && (
        <ul className="links">
          {stored.map((link) => (
            <li key={link.id} className={isRemoved(link) ? "link-row is-removed" : "link-row"}>
              <ObjectLink class_={target} target={link} />
              {isRemoved(link) ? (
                <Button isSmall variant="quiet" icon={Undo2} onPress={() => add(link)} autoFocus>
                  {t("Undo")}
                </Button>
              ) : (
                !isReadOnly && <RemoveButton target={link} onPress={() => remove(link)} />
              )}
            </li>
          ))}
          {added.map((link) => (
            <li key={link.id} className="link-row">
              <ObjectLink class_={target} target={link} />
              <Badge kind="info">{t("Added")}</Badge>
              <RemoveButton target={link} onPress={() => remove(link)} />
            </li>
          ))}
        </ul>
      )}
      {(page === undefined || page?.hasNext || reader.error) && (
        <ReadMore reader={reader} label={page ? t("Show more") : t("Show")} onPress={() => void readMore()} />
      )}
      {!isReadOnly && (
        <ObjectPicker
          // The field begins anew after each object, so that its list is closed and its text is gone.
          key={round}
          autoFocus={round > 0}
          role={role}
          owner={owner}
          label={t("Add to {role}", { role: fieldTitle(role.name) })}
          isLabelHidden
          placeholder={t("Add… Type to find one.")}
          value={null}
          onChange={(link) => {
            if (!link) return;
            add(link);
            setRound((count) => count + 1);
          }}
          without={new Set([...stored.filter((link) => !isRemoved(link)), ...added].map(({ id }) => id))}
        />
      )}
    </RoleSection>
  );
}

/** Returns how many there are, as far as they are read. */
export function countText(count: number, hasNext: boolean): string | undefined {
  if (count === 0) return undefined;
  return hasNext ? `${count}+` : String(count);
}

function RemoveButton({ target, onPress }: { readonly target: Reference; readonly onPress: () => void }) {
  return (
    <IconButton
      icon={X}
      isSmall
      label={t("Remove {object}", { object: target.label || target.id })}
      onPress={onPress}
    />
  );
}
