// The band above all pages while the console shows the past.

import "./as_of.css";
import { History, Undo2 } from "lucide-react";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { Button } from "../components/button";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { instantText } from "../values/instant_text";
import { keep, setAsOf, useAsOf } from "./as_of";

export function AsOfBand() {
  const asOf = useAsOf();
  const [location] = useLocation();
  useEffect(() => {
    keep(asOf);
    // The colors of the whole console follow.
    document.documentElement.toggleAttribute("data-past", asOf !== null);
    return () => document.documentElement.removeAttribute("data-past");
  }, [asOf]);
  // The region stays, so that screen readers say when it changes.
  return (
    <div role="status" className="as-of-status">
      {asOf && <Band asOf={asOf} isOfData={location.startsWith("/data/")} />}
    </div>
  );
}

function Band({ asOf, isOfData }: { readonly asOf: string; readonly isOfData: boolean }) {
  const member = useMember();
  return (
    <div className="as-of-band">
      <History aria-hidden />
      <p>
        <strong>
          {t("As of {instant} ({timeZone})", {
            instant: instantText(asOf, member),
            timeZone: member.timeZone,
          })}
        </strong>{" "}
        <span>
          {isOfData
            ? t("You see the data as they were then, and can't change them.")
            : t("This page shows the present.")}
        </span>
      </p>
      <Button isSmall icon={Undo2} onPress={() => setAsOf(null)}>
        {t("Back to now")}
      </Button>
    </div>
  );
}
