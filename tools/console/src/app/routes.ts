// The pages of the console by path. A page is one row here, and one in `navigation.ts` if a menu leads there.
// Each loads its code when it is opened; the list is part of the first page.

import type { ComponentType } from "react";
import type { ModelClass } from "../description/model";
import { lazyPage as lazy } from "./lazy_page";

export interface PageProps {
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
}

export interface PageRoute {
  /** A path below /console, with parameters such as `:class`. The first row that fits is taken. */
  readonly path: string;
  readonly Page: ComponentType<PageProps>;
}

export const ROUTES: readonly PageRoute[] = [
  { path: "/", Page: lazy(() => import("../home/home_page")) },
  { path: "/data/:class", Page: lazy(() => import("../list/list_page")) },
  { path: "/data/:class/objects/:id", Page: lazy(() => import("../object/object_page")) },
  { path: "/data/:class/new", Page: lazy(() => import("../object/new_object_page")) },
  { path: "/data/:class/object", Page: lazy(() => import("../object/singleton_page")) },
  { path: "/model", Page: lazy(() => import("../administration/member_model_page")) },
  { path: "/data/:class/objects/:id/history", Page: lazy(() => import("../history/history_page")) },
  { path: "/data/:class/deleted", Page: lazy(() => import("../history/deleted_page")) },
  { path: "/service", Page: lazy(() => import("../administration/overview_page")) },
  { path: "/service/model", Page: lazy(() => import("../administration/model_page")) },
  { path: "/service/indexes", Page: lazy(() => import("../administration/indexes_page")) },
  { path: "/service/changes", Page: lazy(() => import("../administration/changes_page")) },
  { path: "/service/settings", Page: lazy(() => import("../administration/settings_page")) },
  { path: "/account", Page: lazy(() => import("../account/preferences_page")) },
  { path: "/account/sign-in", Page: lazy(() => import("../account/sign_in_page")) },
  { path: "/account/sessions", Page: lazy(() => import("../account/sessions_page")) },
  { path: "/members", Page: lazy(() => import("../members/members_page")) },
  { path: "/members/audit", Page: lazy(() => import("../members/audit_page")) },
  { path: "/members/:id", Page: lazy(() => import("../members/member_page")) },
  { path: "/members/:id/sessions", Page: lazy(() => import("../members/member_sessions_page")) },
  { path: "/members/:id/keys", Page: lazy(() => import("../members/member_keys_page")) },
  { path: "/members/:id/audit", Page: lazy(() => import("../members/member_audit_page")) },
  { path: "/account/keys", Page: lazy(() => import("../account/keys_page")) },
];

const CLASS_PAGES: Readonly<Partial<Record<ModelClass["kind"], (name: string) => string>>> = {
  SINGLETON: (name) => `/data/${name}/object`,
  FORM: (name) => `/data/${name}/new`,
};

/** The addresses of pages, so that links and routes agree. */
export const paths = {
  home: () => "/",
  list: (class_: string) => `/data/${class_}`,
  /** The page that menus lead to: the list of a class, its only object, or the form that it is. */
  class: ({ name, kind }: ModelClass) => CLASS_PAGES[kind]?.(name) ?? `/data/${name}`,
  create: (class_: string) => `/data/${class_}/new`,
  object: (class_: string, id: string) => `/data/${class_}/objects/${encodeURIComponent(id)}`,
  history: (class_: string, id: string) => `/data/${class_}/objects/${encodeURIComponent(id)}/history`,
  deleted: (class_: string) => `/data/${class_}/deleted`,
  /** The page of a class with exactly one object. */
  singleton: (class_: string) => `/data/${class_}/object`,
  members: () => "/members",
  member: (id: string, part = "") => `/members/${encodeURIComponent(id)}${part && `/${part}`}`,
  audit: () => "/members/audit",
  account: (part = "") => (part ? `/account/${part}` : "/account"),
  model: () => "/model",
  service: (part = "") => (part ? `/service/${part}` : "/service"),
} as const;
