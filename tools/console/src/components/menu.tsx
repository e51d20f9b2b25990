// Menus of actions.

import "./overlays.css";
import type { LucideIcon } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  Dialog,
  DialogTrigger,
  MenuTrigger,
  Popover,
  Separator,
} from "react-aria-components";

interface MenuProps {
  /** The button that opens the menu. */
  readonly trigger: ReactElement;
  readonly label: string;
  readonly children: ReactNode;
  readonly placement?: "bottom start" | "bottom end" | "top start" | "top end";
}

export function Menu({ trigger, label, children, placement = "bottom end" }: MenuProps) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className="popover" placement={placement} offset={4}>
        <AriaMenu className="menu" aria-label={label}>
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

interface MenuItemProps {
  readonly icon?: LucideIcon;
  readonly children: string;
  readonly onAction?: () => void;
  /** A link to another page of the service, or to the world outside. */
  readonly href?: string;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
}

export function MenuItem({
  icon: Icon,
  children,
  onAction,
  href,
  isDanger = false,
  isDisabled = false,
}: MenuItemProps) {
  return (
    <AriaMenuItem
      className={isDanger ? "menu-item menu-item-danger" : "menu-item"}
      textValue={children}
      isDisabled={isDisabled}
      {...(onAction ? { onAction } : {})}
      {...(href ? { href } : {})}
    >
      {Icon && <Icon aria-hidden />}
      {children}
    </AriaMenuItem>
  );
}

export function MenuSeparator() {
  return <Separator className="menu-separator" />;
}

interface PopoverButtonProps {
  readonly trigger: ReactElement;
  readonly label: string;
  readonly children: ReactNode | ((close: () => void) => ReactNode);
  readonly placement?: MenuProps["placement"];
}

/** A button that opens a small panel with fields. */
export function PopoverButton({ trigger, label, children, placement = "bottom start" }: PopoverButtonProps) {
  return (
    <DialogTrigger>
      {trigger}
      <Popover className="popover" placement={placement} offset={4}>
        <Dialog className="popover-content" aria-label={label}>
          {({ close }) => (typeof children === "function" ? children(close) : children)}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
