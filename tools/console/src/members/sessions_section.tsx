// Where a member is signed in, and the buttons that end sessions.

import "../components/table.css";
import { useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { MonitorSmartphone } from "lucide-react";
import { useState } from "react";
import { Button } from "../components/button";
import { ConfirmDialog } from "../components/dialog";
import { Badge, EmptyState } from "../components/feedback";
import { Section } from "../components/layout";
import { showToast } from "../components/toast";
import { t } from "../messages/messages";
import { asServiceError } from "../service/errors";
import { useMember } from "../session/member";
import { PASSWORD, type Way, waysQuery } from "../session/provider";
import { instantText } from "./instant_text";
import { endSession, endSessions, type MemberSession, sessionsQuery } from "./requests";

interface SessionsSectionProps {
  /** The ID of the member. */
  readonly id: string;
  readonly isOwn: boolean;
  readonly username: string;
}

export function SessionsSection({ id, isOwn, username }: SessionsSectionProps) {
  const { data: sessions } = useSuspenseQuery(sessionsQuery(id));
  const client = useQueryClient();
  const [ended, setEnded] = useState<MemberSession | "all" | null>(null);
  const others = sessions.filter(({ current }) => !current);

  async function end() {
    if (ended === "all")
      await (isOwn ? Promise.all(others.map((each) => endOne(id, each.id))) : endSessions(id));
    else if (ended) await endOne(id, ended.id);
    await client.invalidateQueries({ queryKey: ["members", id, "sessions"] });
    showToast(ended === "all" ? t("The sessions have ended.") : t("The session has ended."));
  }

  return (
    <Section
      title={t("Sessions")}
      description={
        isOwn
          ? t("The devices and programs on which you are signed in.")
          : t("The devices and programs on which {username} is signed in.", { username })
      }
      actions={
        others.length > 0 && (
          <Button isSmall onPress={() => setEnded("all")}>
            {isOwn ? t("End all other sessions") : t("End all sessions")}
          </Button>
        )
      }
    >
      {sessions.length > 0 ? (
        <SessionsTable sessions={sessions} onEnd={setEnded} />
      ) : (
        <EmptyState icon={MonitorSmartphone} title={t("No sessions")}>
          {t("Each sign-in begins one. Requests with HTTP Basic and API keys don't.")}
        </EmptyState>
      )}
      <ConfirmDialog
        title={ended === "all" ? t("End these sessions?") : t("End this session?")}
        isOpen={ended !== null}
        onClose={() => setEnded(null)}
        action={ended === "all" ? t("End the sessions") : t("End the session")}
        variant="danger"
        onConfirm={end}
      >
        <p>{t("Whoever uses it must sign in again. What isn't saved there may be lost.")}</p>
      </ConfirmDialog>
    </Section>
  );
}

/** Ends a session. It is no error if that has ended already. */
async function endOne(id: string, session: string): Promise<void> {
  try {
    await endSession(id, session);
  } catch (failure) {
    if (asServiceError(failure).kind !== "NOT_FOUND") throw failure;
  }
}

interface SessionsTableProps {
  readonly sessions: readonly MemberSession[];
  readonly onEnd: (session: MemberSession) => void;
}

function SessionsTable({ sessions, onEnd }: SessionsTableProps) {
  const { timeZone } = useMember();
  const { data: ways } = useQuery(waysQuery);
  return (
    <div className="table-frame">
      <table className="table">
        <thead>
          <tr>
            <th>{t("Device")}</th>
            <th>{t("Signed in")}</th>
            <th>{t("Last renewed")}</th>
            <th>{t("With")}</th>
            <th>{t("Address")}</th>
            <th className="is-narrow">
              <span className="visually-hidden">{t("Actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((each) => (
            <tr key={each.id}>
              <td>
                <span className="cell-line">
                  <span className="user-text">{each.device || t("Unknown device")}</span>
                  {each.current && <Badge kind="done">{t("This session")}</Badge>}
                </span>
              </td>
              <td className="nowrap">{instantText(each.since, timeZone)}</td>
              <td className="nowrap">{instantText(each.renewed, timeZone)}</td>
              <td>{wayLabel(each.way, ways)}</td>
              <td className="nowrap">{each.address}</td>
              <td className="is-narrow">
                {!each.current && (
                  <Button
                    isSmall
                    aria-label={t("End {name}", { name: each.device || t("Unknown device") })}
                    onPress={() => onEnd(each)}
                  >
                    {t("End")}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function wayLabel(way: string, ways: readonly Way[] = []): string {
  if (way === PASSWORD) return t("Password");
  return ways.find(({ name }) => name === way)?.label ?? way;
}
