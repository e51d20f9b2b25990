// How pages are divided: a header, sections, facts, and tabs that are routes of their own.

import "./layout.css";
import { ChevronRight } from "lucide-react";
import { Fragment, type ReactNode, useEffect } from "react";
import { Link, useLocation } from "wouter";
import { t } from "../messages/messages";
import { serviceSettings } from "../service/settings";

interface Crumb {
  readonly label: string;
  readonly to: string;
}

interface PageProps {
  /** The heading, and the title of the window. */
  readonly title: string;
  /** What stands behind the heading, such as a badge. */
  readonly beside?: ReactNode;
  readonly description?: ReactNode;
  readonly breadcrumbs?: readonly Crumb[];
  readonly actions?: ReactNode;
  readonly isNarrow?: boolean;
  readonly children: ReactNode;
}

export function Page({
  title,
  beside,
  description,
  breadcrumbs = [],
  actions,
  isNarrow,
  children,
}: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${serviceSettings().application}`;
  }, [title]);
  return (
    <div className={isNarrow ? "page page-narrow" : "page"}>
      <header className="page-header">
        <div className="page-heading">
          {breadcrumbs.length > 0 && <Breadcrumbs crumbs={breadcrumbs} />}
          <h1 tabIndex={-1}>
            <span className="user-text">{title}</span>
            {beside}
          </h1>
          {description && <p className="quiet user-text">{description}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

function Breadcrumbs({ crumbs }: { readonly crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label={t("Breadcrumbs")} className="breadcrumbs">
      {crumbs.map(({ label, to }, index) => (
        <Fragment key={to}>
          {index > 0 && <ChevronRight size={14} aria-hidden />}
          <Link href={to} className="user-text">
            {label}
          </Link>
        </Fragment>
      ))}
    </nav>
  );
}

interface SectionProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, description, actions, children }: SectionProps) {
  return (
    <section className="card section" aria-label={title}>
      <div className="section-header">
        <div>
          <h2>{title}</h2>
          {description && <p>{description}</p>}
        </div>
        {actions && <div className="toolbar">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** Names and values, such as who made an object and when. Values that are empty are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) =>
        value === null || value === undefined || value === "" ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="user-text">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Links to the parts of a page. Each part has an address of its own. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Crumb[] }) {
  const [location] = useLocation();
  return (
    <nav className="tab-list" aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.to}
          href={tab.to}
          className="tab"
          aria-current={location === tab.to ? "page" : undefined}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
