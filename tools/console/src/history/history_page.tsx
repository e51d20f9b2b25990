// The history of an object: its time line, or two of its versions beside each other.

import "./history.css";
import { ArrowLeftRight, History, RotateCcw, SearchX, X } from "lucide-react";
import { useState } from "react";
import { useLocation, useSearch } from "wouter";
import { type PageProps, paths } from "../app/routes";
import { useAsOf } from "../as_of/as_of";
import { Button, ButtonLink } from "../components/button";
import { Banner, EmptyState, ErrorState, Loading } from "../components/feedback";
import { Page } from "../components/layout";
import { type ModelClass, offers } from "../description/model";
import { titleOf } from "../description/sidebar";
import { useModel } from "../description/use_model";
import type { Span } from "../documents/history";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { instantText } from "../values/instant_text";
import { Comparison } from "./comparison_view";
import { objectPath } from "./history_paths";
import { useVersions, useWriteChanges } from "./history_query";
import { RestoreDialog } from "./restore_dialog";
import { TimeLine } from "./time_line";
import { instantOf, type Version } from "./version";

/** The id of the only object of a singleton. */
const ONLY = "1";

export default function HistoryPage({ params }: PageProps) {
  const { class: className = "", id = ONLY } = params;
  const class_ = useModel().find(className);
  const search = new URLSearchParams(useSearch());
  if (!class_ || !offers(class_, "getVersionPage")) return <NoHistory className={className} />;
  const [from, to] = [search.get("from"), search.get("to")];
  if (from && to) return <ComparisonPage class_={class_} id={id} span={{ from, to }} />;
  return <TimeLinePage class_={class_} id={id} />;
}

interface ObjectProps {
  readonly class_: ModelClass;
  readonly id: string;
}

function TimeLinePage({ class_, id }: ObjectProps) {
  const found = useVersions(class_, id);
  const { query, versions } = found;
  const [newest] = versions;
  const label = newest?._label || titleOf(class_.name);
  const isDeleted = newest !== undefined && newest.end !== null;
  return (
    <Page
      title={t("History of {object}", { object: label })}
      breadcrumbs={breadcrumbsOf(class_, id, isDeleted ? null : label)}
      isNarrow
    >
      {newest ? (
        <Versions class_={class_} id={id} found={found} newest={newest} label={label} />
      ) : (
        <div className="card">
          {query.error ? (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          ) : query.data ? (
            <EmptyState icon={History} title={t("There is no history")}>
              {t("The object never existed, or you may not see it.")}
            </EmptyState>
          ) : (
            <Loading />
          )}
        </div>
      )}
    </Page>
  );
}

interface VersionsProps extends ObjectProps {
  readonly found: ReturnType<typeof useVersions>;
  readonly newest: Version;
  readonly label: string;
}

function Versions({ class_, id, found: { query, versions, entries }, newest, label }: VersionsProps) {
  const [, navigate] = useLocation();
  const isPast = useAsOf() !== null;
  const changes = useWriteChanges(class_, id, entries);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [restored, setRestored] = useState<Version | null>(null);
  const onRestore = !isPast && offers(class_, "restoreVersion") ? setRestored : undefined;

  function choose(start: string, isChosen: boolean) {
    const next = new Set(chosen);
    if (isChosen) next.add(start);
    else next.delete(start);
    setChosen(next);
  }

  function showComparison() {
    const [to, from] = versions.filter(({ start }) => chosen.has(start)).map(comparedAt);
    if (from && to) navigate(`${paths.history(class_.name, id)}?${new URLSearchParams({ from, to })}`);
  }

  return (
    <>
      {newest.end !== null && <DeletedBanner onRestore={onRestore && (() => onRestore(newest))} />}
      <TimeLine
        class_={class_}
        id={id}
        entries={entries}
        changes={changes}
        chosen={chosen}
        onChoose={choose}
        onRestore={onRestore}
      />
      {query.hasNextPage && (
        <div className="toolbar">
          <Button isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
            {t("Show earlier versions")}
          </Button>
        </div>
      )}
      {query.isFetchNextPageError && <Banner kind="error">{query.error?.message}</Banner>}
      {chosen.size > 0 && (
        <CompareBar count={chosen.size} onClear={() => setChosen(new Set())} onCompare={showComparison} />
      )}
      {restored && (
        <RestoreDialog
          class_={class_}
          id={id}
          label={restored._label || label}
          instant={comparedAt(restored)}
          revision={newest._revision ?? null}
          onClose={() => setRestored(null)}
          onRestored={() => navigate(objectPath(class_, id, null))}
        />
      )}
    </>
  );
}

function DeletedBanner({ onRestore }: { readonly onRestore: (() => void) | undefined }) {
  return (
    <Banner
      kind="warning"
      actions={
        onRestore && (
          <Button isSmall icon={RotateCcw} onPress={onRestore}>
            {t("Restore")}
          </Button>
        )
      }
    >
      {t("This object is deleted. Its versions are kept.")}
    </Banner>
  );
}

interface CompareBarProps {
  readonly count: number;
  readonly onClear: () => void;
  readonly onCompare: () => void;
}

function CompareBar({ count, onClear, onCompare }: CompareBarProps) {
  return (
    <section className="compare-bar" aria-label={t("Compare")}>
      <span role="status">
        {count === 1 ? t("Choose a second version to compare.") : t("Two versions are chosen.")}
      </span>
      <Button variant="quiet" icon={X} onPress={onClear}>
        {t("Choose none")}
      </Button>
      <Button variant="primary" icon={ArrowLeftRight} isDisabled={count < 2} onPress={onCompare}>
        {t("Compare")}
      </Button>
    </section>
  );
}

/** Returns the instant at which a version is compared: the last one of it, or now if it goes on. */
function comparedAt(version: Version): string {
  return instantOf(version) ?? new Date().toISOString();
}

function breadcrumbsOf(class_: ModelClass, id: string, label: string | null) {
  const list = { label: titleOf(class_.name), to: paths.list(class_.name) };
  const object = { label: label ?? "", to: objectPath(class_, id, null) };
  if (class_.kind === "SINGLETON") return [object];
  return label === null ? [list] : [list, object];
}

interface ComparisonPageProps extends ObjectProps {
  readonly span: Span;
}

function ComparisonPage({ class_, id, span }: ComparisonPageProps) {
  const member = useMember();
  const names = [instantText(span.from, member, "short"), instantText(span.to, member, "short")] as const;
  return (
    <Page
      title={t("Two versions")}
      description={t("The object as it was at each of the two instants.")}
      breadcrumbs={[
        { label: titleOf(class_.name), to: paths.list(class_.name) },
        { label: t("History"), to: paths.history(class_.name, id) },
      ]}
    >
      <Comparison class_={class_} id={id} span={span} names={names} />
    </Page>
  );
}

function NoHistory({ className }: { readonly className: string }) {
  const class_ = useModel().find(className);
  return (
    <Page title={titleOf(className)}>
      <div className="card">
        <EmptyState
          icon={SearchX}
          title={t("There is no history")}
          actions={class_ && <ButtonLink to={paths.list(className)}>{t("Show the list")}</ButtonLink>}
        >
          {t("The class keeps no versions of its objects, or you may not see them.")}
        </EmptyState>
      </div>
    </Page>
  );
}
