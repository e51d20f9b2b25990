// What the sidebar leads to besides the classes.

import { Activity, type LucideIcon, Users } from "lucide-react";
import type { Model } from "../description/model";
import { t } from "../messages/messages";
import { paths } from "./routes";

export interface NavigationItem {
  readonly label: () => string;
  readonly icon: LucideIcon;
  readonly to: string;
  readonly isFor: (model: Model) => boolean;
}

export const NAVIGATION: readonly NavigationItem[] = [
  { label: () => t("Members"), icon: Users, to: paths.members(), isFor: (model) => model.isAdministrator },
  { label: () => t("Service"), icon: Activity, to: paths.service(), isFor: (model) => model.isAdministrator },
];
