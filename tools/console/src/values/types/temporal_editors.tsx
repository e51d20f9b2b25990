// The fields of Date, Time and Datetime, in the order and with the clock of the member's formats.

import {
  type CalendarDate,
  type CalendarDateTime,
  parseDate,
  parseTime,
  type Time,
} from "@internationalized/date";
import { useCallback } from "react";
import { RadioField } from "../../components/radio_field";
import { currentLanguage, t } from "../../messages/messages";
import { useMember } from "../../session/member";
import { hourCycleOf, localeOfDates, needsSeconds } from "../date_formats";
import { instantOf, localOf, occurrencesOf, offsetText } from "../instants";
import type { EditorProps } from "../value_type";
import { editorTexts } from "./editor_texts";
import { DateField, TimeField } from "./temporal_fields";
import { useEntered } from "./use_entered";

export function DateEditor(props: EditorProps) {
  const formats = useFormats();
  const entered = useEntered<CalendarDate>(props, readDate, String);
  return <DateField {...fieldOf(props, entered, formats)} granularity="day" />;
}

export function TimeEditor(props: EditorProps) {
  const formats = useFormats();
  const entered = useEntered<Time>(props, readTime, writeTime);
  const granularity = needsSeconds(formats.timeFormat, entered.shown) ? "second" : "minute";
  return <TimeField {...fieldOf(props, entered, formats)} granularity={granularity} />;
}

export function DatetimeEditor(props: EditorProps) {
  const { value, onChange } = props;
  const formats = useFormats();
  const { timeZone } = formats;
  const instant = typeof value === "string" ? value : "";
  const read = useCallback((text: string) => localOf(text, timeZone), [timeZone]);
  const write = (local: CalendarDateTime) => instantOf(local, timeZone, occurrenceOf(instant, timeZone));
  const entered = useEntered<CalendarDateTime>(props, read, write);
  const { shown } = entered;
  const instants = shown ? occurrencesOf(shown, timeZone) : [];
  const field = fieldOf(props, entered, formats);
  const isSkipped = shown !== null && read(instant) !== null && instants.length === 0;
  const warning = isSkipped ? t("Clocks skip this time, so it becomes a later one.") : props.warning;
  return (
    <div className="datetime-editor">
      <DateField
        {...field}
        texts={{ ...field.texts, warning }}
        granularity={needsSeconds(formats.timeFormat, shown) ? "second" : "minute"}
        suffix={offsetText(instant, timeZone)}
      />
      {instants.length > 1 && (
        <RadioField
          label={t("Clocks show this time twice")}
          value={String(instants.findIndex((each) => Date.parse(each) === Date.parse(instant)))}
          onChange={(index) => onChange(instants[Number(index)])}
          choices={instants.map((each, index) => ({
            value: String(index),
            label: index === 0 ? t("The first time") : t("The second time"),
            description: offsetText(each, timeZone),
          }))}
          isReadOnly={props.isReadOnly ?? false}
        />
      )}
    </div>
  );
}

/** Returns which of two instants that clocks show alike a value is. */
function occurrenceOf(instant: string, timeZone: string): "earlier" | "later" {
  const local = localOf(instant, timeZone);
  const [, second] = local ? occurrencesOf(local, timeZone) : [];
  return second !== undefined && Date.parse(second) === Date.parse(instant) ? "later" : "earlier";
}

function useFormats() {
  const { dateFormat, timeFormat, timeZone } = useMember();
  const locale = localeOfDates(currentLanguage(), dateFormat);
  return { locale, hourCycle: hourCycleOf(timeFormat), timeFormat, timeZone };
}

function fieldOf<T>(
  props: EditorProps,
  entered: ReturnType<typeof useEntered<T>>,
  { locale, hourCycle }: ReturnType<typeof useFormats>,
) {
  return {
    texts: editorTexts(props, entered.isLeft),
    value: entered.shown,
    onChange: entered.change,
    onBlur: entered.leave,
    group: entered.group,
    isRequired: props.isRequired ?? false,
    isReadOnly: props.isReadOnly ?? false,
    locale,
    hourCycle,
  };
}

function readDate(text: string): CalendarDate | null {
  try {
    return parseDate(text);
  } catch {
    return null;
  }
}

function readTime(text: string): Time | null {
  try {
    return parseTime(text);
  } catch {
    return null;
  }
}

function writeTime(time: Time): string {
  return time.toString();
}
