// An instant in the member's language.

import { currentLanguage } from "../messages/messages";

export function Instant({ iso }: { readonly iso: string }) {
  const format = new Intl.DateTimeFormat(currentLanguage(), { dateStyle: "medium", timeStyle: "short" });
  return (
    <time dateTime={iso} className="nowrap">
      {format.format(new Date(iso))}
    </time>
  );
}
