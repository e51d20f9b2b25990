// A link of the sidebar, which shows whether its page is the current one.

import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";

interface SidebarLinkProps {
  readonly to: string;
  readonly depth?: number;
  /** Whether the page can only say why there is nothing. */
  readonly isUnavailable?: boolean;
  readonly children: ReactNode;
}

export function SidebarLink({ to, depth = 0, isUnavailable = false, children }: SidebarLinkProps) {
  const [location] = useLocation();
  return (
    <Link
      href={to}
      className={isUnavailable ? "sidebar-link is-unavailable" : "sidebar-link"}
      data-depth={Math.min(depth, 3)}
      aria-current={isCurrent(location, to) ? "page" : undefined}
    >
      {children}
    </Link>
  );
}

/** Whether a location is a page, or one below it. */
export function isCurrent(location: string, to: string): boolean {
  return location === to || location.startsWith(`${to}/`);
}
