// A switch, which takes effect at once.

import "./switch.css";
import type { ReactNode } from "react";
import { Switch as AriaSwitch, type SwitchProps as AriaSwitchProps } from "react-aria-components";

interface SwitchProps extends Omit<AriaSwitchProps, "className" | "children"> {
  readonly children: ReactNode;
}

export function Switch({ children, ...props }: SwitchProps) {
  return (
    <AriaSwitch {...props} className="switch">
      <span className="switch-track" aria-hidden />
      {children}
    </AriaSwitch>
  );
}
