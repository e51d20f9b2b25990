// What the settings in force say about themselves.

import type { SettingReport } from "./service_report";

/** Whether somebody has given a setting a value of its own. */
export function isChanged({ isSet, isDefault }: SettingReport): boolean {
  return isSet ?? isDefault === false;
}
