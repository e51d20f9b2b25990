// The names of attributes and roles as people write them.

import { t } from "../messages/messages";
import { titleOf } from "./sidebar";

/** What Stratabase itself adds to classes, whose names are no words of the model. */
const PLATFORM: Readonly<Record<string, () => string>> = {
  _createdby: () => t("Created by"),
  _createdby_user: () => t("Created by (member)"),
  _createdon: () => t("Created on"),
  _lastmodifiedby: () => t("Last modified by"),
  _lastmodifiedby_user: () => t("Last modified by (member)"),
  _lastmodifiedon: () => t("Last modified on"),
  _ownedby: () => t("Owned by"),
  _ownedby_user: () => t("Owned by (member)"),
  _ownedon: () => t("Owned on"),
};

/** Returns the name of an attribute or a role as people write it: `hired_on` becomes "Hired on". */
export function fieldTitle(name: string): string {
  return PLATFORM[name]?.() ?? titleOf(name);
}
