// The sidebar: the instant, the classes of the model, the administration, and the member's account.

import { BookOpen, Braces, ChevronsUpDown, FileText, Layers, LogOut, UserRound } from "lucide-react";
import { Button as AriaButton } from "react-aria-components";
import { Link, useLocation } from "wouter";
import { AsOfControl } from "../as_of/as_of_control";
import { Menu, MenuItem, MenuSeparator } from "../components/menu";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { serviceSettings } from "../service/settings";
import { useMember } from "../session/member";
import { session } from "../session/session";
import { NAVIGATION } from "./navigation";
import { paths } from "./routes";
import { SidebarClasses } from "./sidebar_classes";
import { SidebarLink } from "./sidebar_link";

export function Sidebar() {
  const model = useModel();
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
      <SidebarClasses />
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
