// The API keys of a member. A new one is shown once.

import "../components/table.css";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../components/button";
import { ConfirmDialog } from "../components/dialog";
import { Badge, EmptyState } from "../components/feedback";
import { Section } from "../components/layout";
import { showToast } from "../components/toast";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { instantText } from "./instant_text";
import { NewKeyDialog } from "./new_key_dialog";
import { type ApiKey, endKey, keysQuery } from "./requests";

interface KeysSectionProps {
  /** The ID of the member. */
  readonly id: string;
  /** The profile of the member. */
  readonly profile: string;
  readonly description: string;
  /** Whether the member who is signed in may make keys here. */
  readonly canCreate: boolean;
}

export function KeysSection({ id, profile, description, canCreate }: KeysSectionProps) {
  const { data: keys } = useSuspenseQuery(keysQuery(id));
  const client = useQueryClient();
  const [isCreating, setCreating] = useState(false);
  const [ended, setEnded] = useState<ApiKey | null>(null);
  const readAgain = () => client.invalidateQueries({ queryKey: ["members", id, "keys"] });

  async function end() {
    if (!ended) return;
    await endKey(id, ended.id);
    await readAgain();
    showToast(t("The key has ended."));
  }

  return (
    <Section
      title={t("API keys")}
      description={description}
      actions={
        canCreate && (
          <Button icon={Plus} variant="primary" onPress={() => setCreating(true)}>
            {t("Create a key")}
          </Button>
        )
      }
    >
      {keys.length > 0 ? (
        <KeysTable keys={keys} onEnd={setEnded} />
      ) : (
        <EmptyState icon={KeyRound} title={t("No API keys")}>
          {canCreate
            ? t("Create one for each program, so that you can end them one by one.")
            : t("Only the member can create keys.")}
        </EmptyState>
      )}
      {canCreate && (
        <NewKeyDialog
          id={id}
          profile={profile}
          isOpen={isCreating}
          onClose={() => setCreating(false)}
          onCreated={() => void readAgain()}
        />
      )}
      <ConfirmDialog
        title={t("End the key {name}?", { name: ended?.name ?? "" })}
        isOpen={ended !== null}
        onClose={() => setEnded(null)}
        action={t("End the key")}
        variant="danger"
        onConfirm={end}
      >
        <p>{t("Programs that send it are refused within 3 seconds. You can't undo this.")}</p>
      </ConfirmDialog>
    </Section>
  );
}

interface KeysTableProps {
  readonly keys: readonly ApiKey[];
  readonly onEnd: (key: ApiKey) => void;
}

function KeysTable({ keys, onEnd }: KeysTableProps) {
  const { timeZone } = useMember();
  return (
    <div className="table-frame">
      <table className="table">
        <thead>
          <tr>
            <th>{t("Name")}</th>
            <th>{t("Created")}</th>
            <th>{t("Expires")}</th>
            <th>{t("Last used")}</th>
            <th>{t("Networks")}</th>
            <th>{t("Profile")}</th>
            <th className="is-narrow">
              <span className="visually-hidden">{t("Actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((each) => (
            <tr key={each.id}>
              <td className="user-text">{each.name}</td>
              <td className="nowrap">{instantText(each.created, timeZone)}</td>
              <td className="nowrap">
                <Expiry expires={each.expires} timeZone={timeZone} />
              </td>
              <td className="nowrap">{each.lastUsed ? instantText(each.lastUsed, timeZone) : t("Never")}</td>
              <td>{each.networks ?? t("All")}</td>
              <td>{each.profile ?? <span className="cell-nothing">{t("As the member")}</span>}</td>
              <td className="is-narrow">
                <Button isSmall aria-label={t("End {name}", { name: each.name })} onPress={() => onEnd(each)}>
                  {t("End")}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Expiry({ expires, timeZone }: { readonly expires: string | null; readonly timeZone: string }) {
  if (!expires) return <Badge kind="warning">{t("Never")}</Badge>;
  if (Date.parse(expires) <= Date.now()) return <Badge kind="error">{t("Expired")}</Badge>;
  return instantText(expires, timeZone);
}
