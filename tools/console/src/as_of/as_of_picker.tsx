// Chooses an instant in the past: one that is often asked for, or a date and time in the member's zone.

import { type FormEvent, useState } from "react";
import { Button } from "../components/button";
import type { Attribute } from "../description/model";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { problemOf } from "../values/registry";
import { ValueEditor } from "../values/value_editor";
import { setAsOf, useAsOf } from "./as_of";
import { instantOfMoment, type Moment } from "./moments";

const MOMENTS: readonly (readonly [Moment, () => string])[] = [
  ["hourAgo", () => t("One hour ago")],
  ["dayStart", () => t("Start of today")],
  ["weekAgo", () => t("One week ago")],
  ["monthStart", () => t("Start of this month")],
  ["yearStart", () => t("Start of this year")],
];

/** The field is that of an attribute, in the member's formats and zone. */
const INSTANT: Attribute = {
  name: "asOf",
  type: "Datetime",
  required: true,
  derived: false,
  unique: false,
  readable: "always",
  creatable: "always",
  editable: "always",
};

export default function AsOfPicker({ onClose }: { readonly onClose: () => void }) {
  const { timeZone } = useMember();
  const asOf = useAsOf();
  const [value, setValue] = useState<unknown>(asOf ?? instantOfMoment("dayStart", timeZone));
  const [error, setError] = useState("");

  function show(instant: string | null): void {
    setAsOf(instant);
    onClose();
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    const problem = value === null ? t("Enter a date and a time.") : problemOf(INSTANT, value);
    if (problem) setError(problem);
    else if (Date.parse(String(value)) > Date.now()) setError(t("Enter a date and a time in the past."));
    else show(new Date(String(value)).toISOString());
  }

  return (
    <form className="as-of-picker" onSubmit={submit} noValidate>
      <p className="quiet">{t("The console shows the data as they were then. You can't change them.")}</p>
      <ul className="as-of-moments">
        {MOMENTS.map(([moment, label]) => (
          <li key={moment}>
            <Button isSmall onPress={() => show(instantOfMoment(moment, timeZone))}>
              {label()}
            </Button>
          </li>
        ))}
      </ul>
      <ValueEditor
        attribute={INSTANT}
        label={t("Date and time")}
        description={t("In your time zone, {timeZone}", { timeZone })}
        value={value}
        onChange={(instant) => {
          setValue(instant);
          setError("");
        }}
        isRequired
        error={error || undefined}
      />
      <div className="toolbar">
        <Button type="submit" variant="primary">
          {t("Show the past")}
        </Button>
        {asOf && <Button onPress={() => show(null)}>{t("Back to now")}</Button>}
      </div>
    </form>
  );
}
