// Chooses an instant in the past: one that is often asked for, or a date and time in the member's zone.

import { type FormEvent, useId, useState } from "react";
import { Button } from "../components/button";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { setAsOf, useAsOf } from "./as_of";
import { instantOf, instantOfMoment, localOf, type Moment } from "./instants";

const MOMENTS: readonly (readonly [Moment, () => string])[] = [
  ["hourAgo", () => t("One hour ago")],
  ["dayStart", () => t("Start of today")],
  ["weekAgo", () => t("One week ago")],
  ["monthStart", () => t("Start of this month")],
  ["yearStart", () => t("Start of this year")],
];

export default function AsOfPicker({ onClose }: { readonly onClose: () => void }) {
  const { timeZone } = useMember();
  const asOf = useAsOf();
  const id = useId();
  const [local, setLocal] = useState(localOf(asOf ?? instantOfMoment("dayStart", timeZone), timeZone));
  const [error, setError] = useState("");

  function show(instant: string | null): void {
    setAsOf(instant);
    onClose();
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    const instant = instantOf(local, timeZone);
    if (!instant) setError(t("Enter a date and a time."));
    else if (Date.parse(instant) > Date.now()) setError(t("Enter a date and a time in the past."));
    else show(instant);
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
      <div className="field">
        <label htmlFor={id} className="field-label">
          {t("Date and time")}
        </label>
        <input
          id={id}
          className="input"
          type="datetime-local"
          step={1}
          min="1970-01-01T00:00:00"
          max={localOf(new Date().toISOString(), timeZone).slice(0, 19)}
          value={local}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-note ${id}-error` : `${id}-note`}
          onChange={(event) => {
            setLocal(event.target.value);
            setError("");
          }}
        />
        <span id={`${id}-note`} className="field-description">
          {t("In your time zone, {timeZone}", { timeZone })}
        </span>
        {error && (
          <span id={`${id}-error`} className="field-error" role="alert">
            {error}
          </span>
        )}
      </div>
      <div className="toolbar">
        <Button type="submit" variant="primary">
          {t("Show the past")}
        </Button>
        {asOf && <Button onPress={() => show(null)}>{t("Back to now")}</Button>}
      </div>
    </form>
  );
}
