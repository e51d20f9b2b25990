// Shows the console in the language of the member who is signed in.

import { useEffect } from "react";
import { loadCatalog } from "../messages/catalogs";
import { currentLanguage, setLanguage } from "../messages/messages";
import { serviceSettings } from "../service/settings";
import { useMember } from "./member";

/** Returns the language of the service's catalogs that fits a language code best. */
export function languageFor(code: string, languages: readonly string[]): string {
  const [primary = ""] = code.split(/[-_]/);
  return languages.find((each) => each === code) ?? languages.find((each) => each === primary) ?? "en";
}

export function MemberLanguage() {
  const { language } = useMember();
  useEffect(() => {
    const wanted = languageFor(language, serviceSettings().languages);
    if (wanted === currentLanguage()) return;
    let isWanted = true;
    void loadCatalog(wanted).then((catalog) => isWanted && setLanguage(wanted, catalog));
    return () => {
      isWanted = false;
    };
  }, [language]);
  return null;
}
