// The classes in the sidebar: a search, and their groups. The arrow keys lead through both.

import { ChevronDown } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useAsOf } from "../as_of/as_of";
import { isKept } from "../as_of/kept";
import { SearchField } from "../components/field";
import { type SidebarClass, type SidebarGroup, sidebarGroups, titleOf } from "../description/sidebar";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { paths } from "./routes";
import { isCurrent, SidebarLink } from "./sidebar_link";

/** More classes than this are searched rather than looked through. */
const SEARCHED = 8;
/** With more classes than this, only the group of the current page is open at first. */
const OPEN = 40;

export function SidebarClasses() {
  const model = useModel();
  const [search, setSearch] = useState("");
  const [location, navigate] = useLocation();
  const frame = useRef<HTMLElement>(null);
  const groups = sidebarGroups(model, search);
  const { isClosed, isCurrentClosed, toggle } = useClosedGroups(sidebarGroups(model, ""));
  const [first] = groups.flatMap(({ classes }) => classes);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the link of the new page is shown.
  useEffect(() => {
    frame.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [location, isCurrentClosed]);

  return (
    <section ref={frame} className="sidebar-data" onKeyDownCapture={moveFocus}>
      {(search || model.classes.length > SEARCHED) && (
        <div className="sidebar-search">
          <SearchField
            label={t("Search classes")}
            value={search}
            onChange={setSearch}
            onSubmit={() => first && navigate(paths.class(first.class_))}
          />
        </div>
      )}
      <nav className="sidebar-classes" aria-label={t("Data")}>
        {groups.map((group) => (
          <Group
            key={group.name}
            group={group}
            isClosed={!search && isClosed(group.name)}
            onToggle={search ? undefined : () => toggle(group.name)}
          />
        ))}
        {search && groups.length === 0 && (
          <p className="sidebar-nothing">{t("No class has this in its name.")}</p>
        )}
      </nav>
    </section>
  );
}

interface ClosedGroups {
  readonly isClosed: (name: string) => boolean;
  /** Whether the group of the current page is closed. */
  readonly isCurrentClosed: boolean;
  readonly toggle: (name: string) => void;
}

/** Keeps which groups are closed. The group of the page that is opened opens, too. */
function useClosedGroups(groups: readonly SidebarGroup[]): ClosedGroups {
  const [location] = useLocation();
  const current = groups.find(({ classes }) =>
    classes.some(({ class_ }) => isCurrent(location, paths.class(class_))),
  )?.name;
  const count = groups.reduce((sum, { classes }) => sum + classes.length, 0);
  const [closed, setClosed] = useState<ReadonlySet<string>>(
    () => new Set(count > OPEN ? groups.map(({ name }) => name).filter(Boolean) : []),
  );

  useEffect(() => {
    if (current !== undefined) setClosed((old) => new Set([...old].filter((name) => name !== current)));
  }, [current]);

  function toggle(name: string) {
    setClosed((old) => {
      const changed = new Set(old);
      if (!changed.delete(name)) changed.add(name);
      return changed;
    });
  }

  const isCurrentClosed = current !== undefined && closed.has(current);
  return { isClosed: (name) => closed.has(name), isCurrentClosed, toggle };
}

interface GroupProps {
  readonly group: SidebarGroup;
  readonly isClosed: boolean;
  /** Absent while something is searched: then all groups are open. */
  readonly onToggle: (() => void) | undefined;
}

function Group({ group: { name, classes }, isClosed, onToggle }: GroupProps) {
  return (
    <div className="sidebar-group">
      {name && (
        <h2>
          {onToggle ? (
            <button type="button" aria-expanded={!isClosed} onClick={onToggle}>
              <span className="user-text">{name}</span>
              <ChevronDown size={14} aria-hidden />
            </button>
          ) : (
            <span className="user-text">{name}</span>
          )}
        </h2>
      )}
      {!isClosed && (
        <ul>
          {classes.map((each) => (
            <li key={each.class_.name}>
              <ClassLink {...each} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function ClassLink({ class_, depth }: SidebarClass) {
  const isUnavailable = useAsOf() !== null && !isKept(class_);
  return (
    <SidebarLink to={paths.class(class_)} depth={depth} isUnavailable={isUnavailable}>
      {titleOf(class_.name)}
      {isUnavailable && <small>{t("not kept")}</small>}
    </SidebarLink>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus to the next or the previous link, heading or field. */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const step = STEPS[event.key];
  if (!step) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("input, nav a, nav button")];
  const next = stops[stops.indexOf(event.target as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
}
