// Buttons, and links that look like them.

import "./button.css";
import type { LucideIcon } from "lucide-react";
import type { ReactNode, Ref } from "react";
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  Tooltip,
  TooltipTrigger,
} from "react-aria-components";
import { Link } from "wouter";

export type ButtonVariant = "plain" | "primary" | "danger" | "quiet";

interface Look {
  readonly variant?: ButtonVariant;
  readonly icon?: LucideIcon;
  readonly isSmall?: boolean;
}

export interface ButtonProps extends Omit<AriaButtonProps, "className" | "style" | "children">, Look {
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

function classNames({ variant = "plain", isSmall = false }: Look, isIcon = false): string {
  return [
    "button",
    variant === "plain" ? "" : `button-${variant}`,
    isSmall ? "button-small" : "",
    isIcon ? "button-icon" : "",
  ]
    .filter(Boolean)
    .join(" ");
}

export function Button({ variant, icon: Icon, isSmall, children, ...props }: ButtonProps) {
  return (
    <AriaButton
      {...props}
      className={classNames({ ...(variant && { variant }), ...(isSmall && { isSmall }) })}
    >
      {Icon && <Icon aria-hidden />}
      {children}
    </AriaButton>
  );
}

interface IconButtonProps extends Omit<ButtonProps, "children" | "icon"> {
  readonly icon: LucideIcon;
  /** What the button does. Screen readers say it, and a tooltip shows it. */
  readonly label: string;
}

export function IconButton({
  icon: Icon,
  label,
  variant = "quiet",
  isSmall = false,
  ...props
}: IconButtonProps) {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton {...props} aria-label={label} className={classNames({ variant, isSmall }, true)}>
        <Icon aria-hidden />
      </AriaButton>
      <Tooltip className="tooltip" offset={4}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}

interface ButtonLinkProps extends Look {
  /** The route of the console. */
  readonly to: string;
  readonly children: ReactNode;
}

export function ButtonLink({ to, icon: Icon, children, ...look }: ButtonLinkProps) {
  return (
    <Link href={to} className={classNames(look)}>
      {Icon && <Icon aria-hidden />}
      {children}
    </Link>
  );
}
