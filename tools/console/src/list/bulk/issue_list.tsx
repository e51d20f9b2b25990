// The issues of many objects, each message once.

import { t } from "../../messages/messages";
import type { Issue } from "../../service/errors";

/** Messages that are shown. More say little. */
const SHOWN = 8;

export function IssueList({ issues }: { readonly issues: readonly Issue[] }) {
  const messages = [...new Set(issues.map(({ userMessage }) => userMessage))];
  if (messages.length === 0) return null;
  return (
    <ul className="bulk-issues">
      {messages.slice(0, SHOWN).map((message) => (
        <li key={message} className="user-text">
          {message}
        </li>
      ))}
      {messages.length > SHOWN && (
        <li className="quiet">{t("And {count} more.", { count: messages.length - SHOWN })}</li>
      )}
    </ul>
  );
}
