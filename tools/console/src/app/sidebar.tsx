// The sidebar: a search, the classes of the model, the administration, and the member's account.

import { BookOpen, Braces, ChevronsUpDown, FileText, Layers, LogOut, UserRound } from "lucide-react";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import { Link, useLocation } from "wouter";
import { useAsOf } from "../as_of/as_of";
import { AsOfControl } from "../as_of/as_of_control";
import { isKept } from "../as_of/kept";
import { SearchField } from "../components/field";
import { Menu, MenuItem, MenuSeparator } from "../components/menu";
import { type SidebarClass, sidebarGroups, titleOf } from "../description/sidebar";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { serviceSettings } from "../service/settings";
import { useMember } from "../session/member";
import { session } from "../session/session";
import { NAVIGATION } from "./navigation";
import { paths } from "./routes";

/** More classes than this are searched rather than looked through. */
const SEARCHED = 8;

export function Sidebar() {
  const model = useModel();
  const [search, setSearch] = useState("");
  const groups = sidebarGroups(model, search);
  const items = NAVIGATION.filter((item) => item.isFor(model));
  return (
    <header className="sidebar">
      <div className="sidebar-header">
        <Link href={paths.home()}>
          <Layers className="sidebar-mark" aria-hidden />
          <span className="user-text">{model.description.application}</span>
        </Link>
      </div>
      <AsOfControl />
      {(search || model.classes.length > SEARCHED) && (
        <div className="sidebar-search">
          <SearchField label={t("Search classes")} value={search} onChange={setSearch} />
        </div>
      )}
      <nav className="sidebar-classes" aria-label={t("Data")}>
        {groups.map((group) => (
          <div key={group.name} className="sidebar-group">
            {group.name && <h2 className="user-text">{group.name}</h2>}
            <ul>
              {group.classes.map((each) => (
                <li key={each.class_.name}>
                  <ClassLink {...each} />
                </li>
              ))}
            </ul>
          </div>
        ))}
        {search && groups.length === 0 && (
          <p className="sidebar-nothing">{t("No class has this in its name.")}</p>
        )}
      </nav>
      {items.length > 0 && (
        <nav className="sidebar-footer" aria-label={t("Administration")}>
          <ul>
            {items.map(({ to, label, icon: Icon }) => (
              <li key={to}>
                <SidebarLink to={to}>
                  <Icon aria-hidden />
                  {label()}
                </SidebarLink>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <div className="sidebar-footer">
        <AccountMenu />
      </div>
    </header>
  );
}

function ClassLink({ class_, depth }: SidebarClass) {
  const isUnavailable = useAsOf() !== null && !isKept(class_);
  const to = class_.kind === "SINGLETON" ? paths.singleton(class_.name) : paths.list(class_.name);
  return (
    <SidebarLink to={to} depth={depth} isUnavailable={isUnavailable}>
      {titleOf(class_.name)}
      {isUnavailable && <small>{t("not kept")}</small>}
    </SidebarLink>
  );
}

interface SidebarLinkProps {
  readonly to: string;
  readonly depth?: number;
  /** Whether the page can only say why there is nothing. */
  readonly isUnavailable?: boolean;
  readonly children: React.ReactNode;
}

function SidebarLink({ to, depth = 0, isUnavailable = false, children }: SidebarLinkProps) {
  const [location] = useLocation();
  const isCurrent = location === to || location.startsWith(`${to}/`);
  return (
    <Link
      href={to}
      className={isUnavailable ? "sidebar-link is-unavailable" : "sidebar-link"}
      data-depth={Math.min(depth, 3)}
      aria-current={isCurrent ? "page" : undefined}
    >
      {children}
    </Link>
  );
}

function AccountMenu() {
  const { username } = useMember();
  const { description } = useModel();
  const { graphiql, reference, documentation } = serviceSettings().addresses;
  const [, navigate] = useLocation();
  return (
    <Menu
      label={t("Account")}
      placement="top start"
      trigger={
        <AriaButton className="sidebar-account">
          <span className="avatar" aria-hidden>
            {[...username][0]?.toLocaleUpperCase()}
          </span>
          <span className="user-text">
            {username}
            <small>{description.profile}</small>
          </span>
          <ChevronsUpDown size={16} aria-hidden />
        </AriaButton>
      }
    >
      <MenuItem icon={UserRound} onAction={() => navigate(paths.account())}>
        {t("Your account")}
      </MenuItem>
      <MenuSeparator />
      {graphiql && (
        <MenuItem icon={Braces} href={graphiql}>
          {t("GraphiQL")}
        </MenuItem>
      )}
      <MenuItem icon={FileText} href={reference}>
        {t("API reference")}
      </MenuItem>
      {documentation && (
        <MenuItem icon={BookOpen} href={documentation}>
          {t("Documentation")}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={LogOut} onAction={() => void session.signOut()}>
        {t("Sign out")}
      </MenuItem>
    </Menu>
  );
}
