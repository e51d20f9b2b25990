// The time line of an object: its versions, the latest first, each with who made it, when, and what it changed.

import "./history.css";
import { ChevronDown, ChevronRight, Eye, RotateCcw, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import { Button, ButtonLink } from "../components/button";
import { Badge } from "../components/feedback";
import { Checkbox } from "../components/field";
import type { ModelClass } from "../description/model";
import { titleOf } from "../description/sidebar";
import { canCompare } from "../documents/history";
import { currentLanguage, plural, t } from "../messages/messages";
import { useMember } from "../session/member";
import { dayText, instantText, timeText } from "../values/instant_text";
import { Comparison } from "./comparison_view";
import { objectPath } from "./history_paths";
import type { WriteChanges } from "./history_query";
import { type Entry, instantOf, type Version } from "./version";

/** How many names of fields stand in a line. */
const NAMED = 4;

interface TimeLineProps {
  readonly class_: ModelClass;
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly changes: ReadonlyMap<string, WriteChanges>;
  /** The starts of the versions that are to be compared. */
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (start: string, isChosen: boolean) => void;
  /** Restores a version. Absent if the member may not. */
  readonly onRestore?: ((version: Version) => void) | undefined;
}

export function TimeLine(props: TimeLineProps) {
  const { entries } = props;
  const member = useMember();
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const day = dayText(entry.kind === "DELETED" ? entry.at : entry.version.start, member);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days].map(([day, found]) => (
    <section key={day} className="time-line-day" aria-label={day}>
      <h2>{day}</h2>
      <ol className="time-line">
        {found.map((entry) =>
          entry.kind === "DELETED" ? (
            <DeletedItem key={`deleted ${entry.at}`} at={entry.at} />
          ) : (
            <VersionItem key={entry.version.start} {...props} entry={entry} />
          ),
        )}
      </ol>
    </section>
  ));
}

function DeletedItem({ at }: { readonly at: string }) {
  const member = useMember();
  return (
    <li className="time-line-item" data-deleted>
      <div className="time-line-text">
        <span className="time-line-time">{timeText(at, member)}</span>
        <Badge kind="error" icon={Trash2}>
          {t("Deleted")}
        </Badge>
      </div>
    </li>
  );
}

interface VersionItemProps extends TimeLineProps {
  readonly entry: Extract<Entry, { kind: "VERSION" }>;
}

function VersionItem({ class_, id, entry, changes, chosen, onChoose, onRestore }: VersionItemProps) {
  const member = useMember();
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  const { version, span, isRestored } = entry;
  const made = changes.get(version.start);
  const author = version._lastmodifiedby ?? made?.changedBy;
  const instant = instantOf(version);
  const time = instantText(version.start, member, "short");
  const isCurrent = version.end === null;
  return (
    <li className="time-line-item" data-current={isCurrent || undefined}>
      <div className="time-line-text">
        <span className="time-line-time">{timeText(version.start, member)}</span>
        <p>
          {author && <strong className="user-text">{author}</strong>} <What entry={entry} made={made} />
        </p>
        {isCurrent && <Badge kind="done">{t("Current")}</Badge>}
      </div>
      <div className="time-line-actions">
        {span && canCompare(class_) && (
          <AriaButton
            className="button button-quiet button-small"
            aria-expanded={isOpen}
            aria-controls={details}
            aria-label={t("Show what changed on {instant}", { instant: time })}
            onPress={() => setOpen(!isOpen)}
          >
            {isOpen ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
            {t("What changed")}
          </AriaButton>
        )}
        {instant && (
          <ButtonLink isSmall variant="quiet" icon={Eye} to={objectPath(class_, id, instant)}>
            {t("Open")}
          </ButtonLink>
        )}
        {instant && onRestore && (
          <Button
            isSmall
            variant="quiet"
            icon={RotateCcw}
            aria-label={t("Restore the version of {instant}", { instant: time })}
            onPress={() => onRestore(version)}
          >
            {t("Restore")}
          </Button>
        )}
        {canCompare(class_) && (
          <Checkbox
            aria-label={t("Compare the version of {instant}", { instant: time })}
            isSelected={chosen.has(version.start)}
            isDisabled={chosen.size === 2 && !chosen.has(version.start)}
            onChange={(isChosen) => onChoose(version.start, isChosen)}
          >
            <span className="time-line-compare">{t("Compare")}</span>
          </Checkbox>
        )}
      </div>
      <div id={details} className="time-line-details" hidden={!isOpen}>
        {isOpen && span && (
          <Comparison class_={class_} id={id} span={span} names={[t("Before"), t("After")]} isShort />
        )}
      </div>
      {isRestored && <span className="visually-hidden">{t("Restored")}</span>}
    </li>
  );
}

interface WhatProps {
  readonly entry: Extract<Entry, { kind: "VERSION" }>;
  readonly made: WriteChanges | undefined;
}

/** Says what a write has done. */
function What({ entry, made }: WhatProps) {
  const hasAuthor = entry.version._lastmodifiedby ?? made?.changedBy;
  if (entry.isRestored) return hasAuthor ? t("restored it") : t("Restored");
  if (!entry.span) return hasAuthor ? t("created it") : t("Created");
  if (!made) return <span className="quiet">{t("Changed")}</span>;
  if (made.names.length === 0)
    return (
      <span className="quiet">
        {hasAuthor ? t("changed nothing that you can see") : t("Nothing that you can see")}
      </span>
    );
  const named = made.names.slice(0, NAMED).map(titleOf);
  const more = made.names.length - named.length;
  const all = more > 0 ? [...named, plural(more, "{count} more", "{count} more")] : named;
  const names = new Intl.ListFormat(currentLanguage(), { type: "conjunction" }).format(all);
  return <span className="user-text">{hasAuthor ? t("changed {names}", { names }) : names}</span>;
}
