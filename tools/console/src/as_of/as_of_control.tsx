// The control at the top of the console that leads to an instant in the past. Its fields load when it opens.

import "./as_of.css";
import { ChevronDown, Clock, History } from "lucide-react";
import { lazy, Suspense } from "react";
import { Button as AriaButton } from "react-aria-components";
import { IconButton } from "../components/button";
import { Loading } from "../components/feedback";
import { PopoverButton } from "../components/menu";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { instantText } from "../values/instant_text";
import { useAsOf } from "./as_of";

const AsOfPicker = lazy(() => import("./as_of_picker"));

/** The control in the sidebar, which says as of when the data are. */
export function AsOfControl() {
  const member = useMember();
  const asOf = useAsOf();
  return (
    <PopoverButton
      label={t("As of")}
      trigger={
        <AriaButton className="as-of-control" data-past={asOf ? true : undefined}>
          {asOf ? <History aria-hidden /> : <Clock aria-hidden />}
          <span>
            <span className="as-of-label">{t("As of")}</span>{" "}
            <span className="as-of-value">{asOf ? instantText(asOf, member, "short") : t("now")}</span>
          </span>
          <ChevronDown aria-hidden />
        </AriaButton>
      }
    >
      {(close) => <Picker onClose={close} />}
    </PopoverButton>
  );
}

/** The control in the bar at the top of narrow screens. The band below says as of when the data are. */
export function AsOfButton() {
  return (
    <PopoverButton
      label={t("As of")}
      placement="bottom end"
      trigger={<IconButton icon={Clock} label={t("Show the data as of an instant")} />}
    >
      {(close) => <Picker onClose={close} />}
    </PopoverButton>
  );
}

function Picker({ onClose }: { readonly onClose: () => void }) {
  return (
    <Suspense fallback={<Loading />}>
      <AsOfPicker onClose={onClose} />
    </Suspense>
  );
}
