// The session of the console.

import { t } from "../messages/messages";
import { ServiceError } from "../service/errors";
import { authorizeBy } from "../service/request";
import { errorOf, sendAsNobody } from "../service/response";
import { serviceSettings } from "../service/settings";
import { Session } from "./tab_session";

export const session = new Session({
  addresses: () => serviceSettings().addresses,
  send: sendAsNobody,
  errorOf,
  signedOut: () => new ServiceError("SIGNED_OUT", t("You are signed out.")),
});

authorizeBy(session);
