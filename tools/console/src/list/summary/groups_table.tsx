// The groups of a list as a table. Each leads to its objects.

import { useState } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../../components/button";
import { Banner, ErrorState, Loading } from "../../components/feedback";
import { keyName } from "../../documents/summary";
import { currentLanguage, plural, t } from "../../messages/messages";
import { useMember } from "../../session/member";
import { valueTypeOf } from "../../values/registry";
import { Nothing } from "../../values/value_text";
import { subjectOf } from "../filter/condition";
import type { List } from "../list";
import { FIRST, writeState } from "../list_state";
import { SortHeader } from "../sort_header";
import { groupConditions } from "./group_conditions";
import { columnOf, type GroupKey, keyText, type Summary, type Total, totalText } from "./summary";
import { type Group, type Totals, useGroups } from "./summary_query";
import { keyTitle, keyValueText, totalTitle, totalValueText } from "./summary_texts";

interface GroupsTableProps {
  readonly list: List;
  readonly summary: Summary;
  readonly onChange: (change: Partial<Summary>) => void;
}

const SHOWN = 100;
/** The API has no more groups. */
const MAX = 10_000;

export function GroupsTable({ list, summary, onChange }: GroupsTableProps) {
  const { class_, state } = list;
  const [next, setNext] = useState(SHOWN);
  const { data, error, refetch, isPlaceholderData } = useGroups(class_, state, summary, next);
  if (error) return <ErrorState error={error} onRetry={refetch} />;
  if (!data) return <Loading />;
  const { keys, totals, order } = summary;
  const { groups } = data;
  const sort = (column: string) => {
    const isFirst = order.column !== column;
    onChange({ order: { column, isDescending: isFirst ? column !== "_keys" : !order.isDescending } });
  };
  const directionOf = (column: string) =>
    order.column !== column ? null : order.isDescending ? ("descending" as const) : ("ascending" as const);
  return (
    <>
      <div className="table-frame groups-frame" data-busy={isPlaceholderData || undefined}>
        <table className="table" aria-busy={isPlaceholderData}>
          <caption className="visually-hidden">{t("Groups and totals")}</caption>
          <thead>
            <tr>
              {keys.map((key, index) => (
                <SortHeader
                  key={keyText(key)}
                  title={keyTitle(key)}
                  direction={index === 0 ? directionOf("_keys") : null}
                  onSort={index === 0 ? () => sort("_keys") : null}
                />
              ))}
              {keys.length === 0 && <th scope="col">{t("Objects")}</th>}
              <SortHeader
                title={t("Count")}
                isNumeric
                direction={directionOf("_count")}
                onSort={keys.length > 0 ? () => sort("_count") : null}
              />
              {totals.map((total) => (
                <SortHeader
                  key={totalText(total)}
                  title={totalTitle(total)}
                  isNumeric={isNumeric(list, total)}
                  direction={directionOf(columnOf(total))}
                  onSort={keys.length > 0 ? () => sort(columnOf(total)) : null}
                />
              ))}
            </tr>
          </thead>
          {groups && (
            <tbody>
              {groups.items.map((group) => (
                <GroupRow key={JSON.stringify(group._keys)} list={list} summary={summary} group={group} />
              ))}
            </tbody>
          )}
          <tfoot>
            <tr>
              <th scope="row" colSpan={Math.max(1, keys.length)}>
                {t("All objects")}
              </th>
              <TotalCells list={list} summary={summary} totals={data.aggregates} />
            </tr>
          </tfoot>
        </table>
      </div>
      {groups && (
        <div className="toolbar">
          <span className="quiet" role="status">
            {plural(groups.totalCount, "{count} group", "{count} groups")}
          </span>
          {groups.hasNext && next < MAX && (
            <Button isSmall isPending={isPlaceholderData} onPress={() => setNext(Math.min(MAX, next * 10))}>
              {t("Show more")}
            </Button>
          )}
        </div>
      )}
      {groups?.items.length === 0 && <Banner kind="info">{t("No group meets the condition.")}</Banner>}
    </>
  );
}

interface GroupRowProps {
  readonly list: List;
  readonly summary: Summary;
  readonly group: Group;
}

function GroupRow({ list: { class_, state }, list, summary, group }: GroupRowProps) {
  const member = useMember();
  const [location] = useLocation();
  const more = groupConditions(summary.keys, group._keys, class_, member.timeZone);
  const query = writeState({
    ...state,
    place: FIRST,
    summary: null,
    conditions: [...state.conditions, ...more],
  });
  const textOf = (key: GroupKey) => keyValueText(key, group._keys[keyName(key)], class_, member);
  return (
    <tr>
      {summary.keys.map((key, index) =>
        index === 0 ? (
          <th key={keyText(key)} scope="row">
            <Link href={`${location}?${query}`}>
              <KeyValue text={textOf(key)} />
            </Link>
          </th>
        ) : (
          <td key={keyText(key)}>
            <KeyValue text={textOf(key)} />
          </td>
        ),
      )}
      <TotalCells list={list} summary={summary} totals={group} />
    </tr>
  );
}

function KeyValue({ text }: { readonly text: string | null }) {
  return text === null ? <em className="quiet">{t("Empty")}</em> : <span className="user-text">{text}</span>;
}

interface TotalCellsProps {
  readonly list: List;
  readonly summary: Summary;
  readonly totals: Totals;
}

function TotalCells({ list, summary, totals }: TotalCellsProps) {
  const { class_ } = list;
  return (
    <>
      <td className="is-numeric">{new Intl.NumberFormat(currentLanguage()).format(totals._count)}</td>
      {summary.totals.map((total) => {
        const functions = totals[total.field] as Readonly<Record<string, unknown>> | null;
        const text = totalValueText(total, functions?.[total.function], class_);
        return (
          <td key={totalText(total)} className={isNumeric(list, total) ? "is-numeric" : undefined}>
            {text ?? <Nothing />}
          </td>
        );
      })}
    </>
  );
}

function isNumeric({ class_ }: List, total: Total): boolean {
  const subject = subjectOf(class_, total.field);
  const isExtreme = total.function === "min" || total.function === "max";
  return !isExtreme || (subject?.kind === "attribute" && valueTypeOf(subject.attribute).isNumeric);
}
