// The entries of the audit trail.

import "../components/table.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ScrollText } from "lucide-react";
import { Link } from "wouter";
import { paths } from "../app/routes";
import { Button } from "../components/button";
import { Badge, EmptyState, ErrorState, Loading } from "../components/feedback";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { type AuditEntry, auditQuery } from "./audit_query";
import { isNotable, textOf, wayOf } from "./audit_texts";
import { instantText } from "./instant_text";

interface AuditListProps {
  /** The ID of a member whom all entries are about, or null for all. */
  readonly member: string | null;
}

export function AuditList({ member }: AuditListProps) {
  const query = useInfiniteQuery(auditQuery(member));
  if (query.isPending) return <Loading />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const entries = query.data.pages.flatMap((page) => page.entries);
  return (
    <>
      {entries.length > 0 ? (
        <AuditTable entries={entries} isOfOne={member !== null} />
      ) : (
        <div className="card">
          <EmptyState icon={ScrollText} title={t("No entries")}>
            {t("The setting STRATABASE_AUDIT_DAYS says how long entries are kept.")}
          </EmptyState>
        </div>
      )}
      {query.hasNextPage && (
        <div className="toolbar">
          <Button isSmall isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
            {t("Show older entries")}
          </Button>
        </div>
      )}
    </>
  );
}

interface AuditTableProps {
  readonly entries: readonly AuditEntry[];
  readonly isOfOne: boolean;
}

function AuditTable({ entries, isOfOne }: AuditTableProps) {
  const { timeZone } = useMember();
  return (
    <div className="table-frame">
      <table className="table">
        <thead>
          <tr>
            <th>{t("When")}</th>
            <th>{t("What")}</th>
            {!isOfOne && <th>{t("Member")}</th>}
            <th>{t("By")}</th>
            <th>{t("Address")}</th>
            <th>{t("Device")}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td className="nowrap">{instantText(entry.at, timeZone)}</td>
              <td className="user-text">
                {isNotable(entry) ? <Badge kind="warning">{textOf(entry)}</Badge> : textOf(entry)}
              </td>
              {!isOfOne && (
                <td>
                  <Name id={entry.member} username={entry.username} />
                </td>
              )}
              <td>
                <Actor entry={entry} />
              </td>
              <td className="nowrap">{entry.address || <Nothing />}</td>
              <td className="nowrap">{entry.device || <Nothing />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Actor({ entry }: { readonly entry: AuditEntry }) {
  const way = wayOf(entry);
  return (
    <span className="cell-line">
      {entry.actor && <Name id={entry.actor} username={entry.actorUsername} />}
      {way && <span className="quiet">{way}</span>}
    </span>
  );
}

function Name({ id, username }: { readonly id: string; readonly username: string }) {
  if (!id) return <span className="cell-nothing">{t("Unknown name")}</span>;
  if (!username) return <span className="cell-nothing">{t("Deleted member")}</span>;
  return (
    <Link href={paths.member(id)} className="user-text">
      {username}
    </Link>
  );
}

function Nothing() {
  return <span className="cell-nothing">—</span>;
}
