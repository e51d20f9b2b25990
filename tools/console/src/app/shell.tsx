// The frame of all pages: the sidebar, which is a drawer on narrow screens, and the page.

import "./shell.css";
import { Menu as MenuIcon } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";
import { useLocation } from "wouter";
import { AsOfBand } from "../as_of/as_of_band";
import { AsOfButton } from "../as_of/as_of_control";
import { IconButton } from "../components/button";
import { t } from "../messages/messages";
import { serviceSettings } from "../service/settings";
import { ConnectionBanner } from "./connection_banner";
import { usePageFocus } from "./page_focus";
import { Sidebar } from "./sidebar";

export function Shell({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation();
  const [isDrawerOpen, setDrawerOpen] = useState(false);

  usePageFocus(location);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when the page changes.
  useEffect(() => setDrawerOpen(false), [location]);

  return (
    <div className="shell">
      <button type="button" className="skip-link" onClick={() => document.getElementById("main")?.focus()}>
        {t("Skip to the content")}
      </button>
      <Sidebar />
      <div className="main">
        <header className="topbar">
          <IconButton icon={MenuIcon} label={t("Open the menu")} onPress={() => setDrawerOpen(true)} />
          <span className="user-text">{serviceSettings().application}</span>
          <AsOfButton />
        </header>
        <ConnectionBanner />
        <AsOfBand />
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
      <ModalOverlay className="veil" isDismissable isOpen={isDrawerOpen} onOpenChange={setDrawerOpen}>
        <Modal className="sidebar-drawer">
          <Dialog aria-label={t("Menu")}>
            <Sidebar />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </div>
  );
}
