// The accounts at identity providers with which the member can sign in.

import "../components/table.css";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../components/button";
import { ConfirmDialog } from "../components/dialog";
import { Banner } from "../components/feedback";
import { Section } from "../components/layout";
import { showToast } from "../components/toast";
import { createLink, endLink, linksQuery } from "../members/requests";
import { useSubmission } from "../members/use_submission";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { askProviderInWindow, providersOf, type Way, waysQuery } from "../session/provider";

export function ProvidersSection() {
  const { data: ways } = useSuspenseQuery(waysQuery);
  const providers = providersOf(ways);
  return providers.length > 0 ? <Providers providers={providers} /> : null;
}

function Providers({ providers }: { readonly providers: readonly Way[] }) {
  const { id } = useMember();
  const { data: links } = useSuspenseQuery(linksQuery(id));
  const client = useQueryClient();
  const { errors, submit } = useSubmission({});
  const [waiting, setWaiting] = useState<string | null>(null);
  const [ended, setEnded] = useState<Way | null>(null);
  const readAgain = () => client.invalidateQueries({ queryKey: ["members", id, "links"] });

  async function link(way: Way) {
    setWaiting(way.name);
    const isDone = await submit(async () => {
      await createLink(id, await askProviderInWindow(way, { purpose: "link" }));
      await readAgain();
    });
    setWaiting(null);
    if (isDone) showToast(t("The account is linked."));
  }

  async function unlink() {
    if (!ended) return;
    await endLink(id, ended.name);
    await readAgain();
    showToast(t("The account is no longer linked."));
  }

  return (
    <Section
      title={t("Linked accounts")}
      description={t("With a linked account, you can sign in without your password.")}
    >
      {errors.rest && <Banner kind="error">{errors.rest}</Banner>}
      {waiting && <Banner kind="info">{t("Go on in the window that has opened.")}</Banner>}
      <div className="table-frame">
        <table className="table">
          <thead>
            <tr>
              <th>{t("Provider")}</th>
              <th>{t("Linked since")}</th>
              <th className="is-narrow">
                <span className="visually-hidden">{t("Actions")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {providers.map((way) => {
              const found = links.find(({ provider }) => provider === way.name);
              const names = { provider: way.label };
              return (
                <tr key={way.name}>
                  <td className="user-text">{way.label}</td>
                  <td>{found?.since ?? <span className="cell-nothing">{t("Not linked")}</span>}</td>
                  <td className="is-narrow">
                    {found ? (
                      <Button
                        isSmall
                        aria-label={t("Unlink {provider}", names)}
                        onPress={() => setEnded(way)}
                      >
                        {t("Unlink")}
                      </Button>
                    ) : (
                      <Button isSmall aria-label={t("Link {provider}", names)} onPress={() => void link(way)}>
                        {t("Link")}
                      </Button>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <ConfirmDialog
        title={t("Unlink {provider}?", { provider: ended?.label ?? "" })}
        isOpen={ended !== null}
        onClose={() => setEnded(null)}
        action={t("Unlink")}
        variant="danger"
        onConfirm={unlink}
      >
        <p>{t("You can no longer sign in with it. Sessions that began with it end.")}</p>
      </ConfirmDialog>
    </Section>
  );
}
