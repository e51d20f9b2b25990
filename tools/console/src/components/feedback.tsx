// What the console says about something: banners, badges, and the states of what is empty, missing or loading.

import "./feedback.css";
import {
  CircleAlert,
  CircleCheck,
  CloudOff,
  History,
  Info,
  type LucideIcon,
  RotateCw,
  TriangleAlert,
} from "lucide-react";
import type { ReactNode } from "react";
import { t } from "../messages/messages";
import { asServiceError, type ServiceErrorKind } from "../service/errors";
import { Button } from "./button";

export type FeedbackKind = "info" | "error" | "warning" | "done" | "past";

const ICONS: Readonly<Record<FeedbackKind, LucideIcon>> = {
  info: Info,
  error: CircleAlert,
  warning: TriangleAlert,
  done: CircleCheck,
  past: History,
};

interface BannerProps {
  readonly kind: FeedbackKind;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

/** A message beside what it is about. Screen readers say errors at once, and others when they may. */
export function Banner({ kind, children, actions }: BannerProps) {
  const Icon = ICONS[kind];
  return (
    <div className={`banner banner-${kind}`} role={kind === "error" ? "alert" : "status"}>
      <Icon aria-hidden />
      <div className="banner-content">{children}</div>
      {actions}
    </div>
  );
}

interface BadgeProps {
  readonly kind?: FeedbackKind;
  readonly icon?: LucideIcon;
  readonly children: ReactNode;
}

export function Badge({ kind, icon: Icon, children }: BadgeProps) {
  return (
    <span className={kind ? `badge badge-${kind}` : "badge"}>
      {Icon && <Icon aria-hidden />}
      {children}
    </span>
  );
}

interface EmptyStateProps {
  readonly icon?: LucideIcon;
  readonly title: string;
  /** Why there is nothing, and what to do. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className="empty">
      {Icon && <Icon aria-hidden />}
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {actions && <div className="empty-actions">{actions}</div>}
    </div>
  );
}

const TITLES: Readonly<Record<ServiceErrorKind, () => string>> = {
  OFFLINE: () => t("No connection"),
  UNAVAILABLE: () => t("The service is busy"),
  SIGNED_OUT: () => t("You are signed out"),
  STALE_SIGN_IN: () => t("Sign in again"),
  FORBIDDEN: () => t("You don't have access"),
  NOT_FOUND: () => t("Not found"),
  REFUSED: () => t("The service refused the request"),
  FAILED: () => t("Something went wrong"),
};

interface ErrorStateProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** What stands where something could not be read. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const { kind, message } = asServiceError(error);
  return (
    <div role="alert">
      <EmptyState
        icon={kind === "OFFLINE" ? CloudOff : CircleAlert}
        title={TITLES[kind]()}
        actions={
          onRetry && (
            <Button icon={RotateCw} onPress={onRetry}>
              {t("Try again")}
            </Button>
          )
        }
      >
        {message}
      </EmptyState>
    </div>
  );
}

/** What stands where something is being read. */
export function Loading({ children = t("Loading…") }: { readonly children?: ReactNode }) {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden />
      {children}
    </div>
  );
}
