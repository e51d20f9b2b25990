// What can be done with an object besides editing it.

import { Copy, Ellipsis, History, Trash2 } from "lucide-react";
import { useLocation } from "wouter";
import { CostButton } from "../administration/cost/cost_button";
import { paths } from "../app/routes";
import { ButtonLink, IconButton } from "../components/button";
import { Menu, MenuItem } from "../components/menu";
import { type ModelClass, offers } from "../description/model";
import { canWrite } from "../documents/write";
import { t } from "../messages/messages";
import type { Variables } from "../service/graphql";

interface ObjectActionsProps {
  readonly class_: ModelClass;
  readonly id: string;
  /** Whether the page shows the past, in which nothing is written. */
  readonly isPast: boolean;
  /** The document that has read the object. */
  readonly document: string;
  readonly variables: Variables;
  readonly onDelete: () => void;
}

export function ObjectActions({ class_, id, isPast, document, variables, onDelete }: ObjectActionsProps) {
  const [, navigate] = useLocation();
  const isOne = class_.kind === "SINGLETON";
  const canDelete = !isPast && !isOne && offers(class_, "delete");
  const canCopy = !isPast && !isOne && canWrite(class_, "create");
  const copy = `${paths.create(class_.name)}?copyOf=${encodeURIComponent(id)}`;
  return (
    <>
      <CostButton document={document} variables={variables} />
      {offers(class_, "getVersionPage") && (
        <ButtonLink icon={History} to={paths.history(class_.name, id)}>
          {t("History")}
        </ButtonLink>
      )}
      {(canCopy || canDelete) && (
        <Menu
          label={t("More actions")}
          trigger={<IconButton variant="plain" icon={Ellipsis} label={t("More actions")} />}
        >
          {canCopy && (
            <MenuItem icon={Copy} onAction={() => navigate(copy)}>
              {t("Copy")}
            </MenuItem>
          )}
          {canDelete && (
            <MenuItem icon={Trash2} isDanger onAction={onDelete}>
              {t("Delete…")}
            </MenuItem>
          )}
        </Menu>
      )}
    </>
  );
}
