// What the sidebar leads to besides the classes.

import { Activity, type LucideIcon, Network, Users } from "lucide-react";
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
  // Administrators find the model among what the service says.
  { label: () => t("Model"), icon: Network, to: paths.model(), isFor: (model) => !model.isAdministrator },
  { label: () => t("Service"), icon: Activity, to: paths.service(), isFor: (model) => model.isAdministrator },
];
