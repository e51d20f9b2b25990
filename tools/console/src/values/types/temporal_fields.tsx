// Fields whose parts are typed one by one: dates with a calendar, and times.

import "./temporal_fields.css";
import type { CalendarDate, CalendarDateTime, Time } from "@internationalized/date";
import { CalendarDays, ChevronLeft, ChevronRight, X } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import {
  Button as AriaButton,
  TimeField as AriaTimeField,
  Calendar,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  DateInput,
  DatePicker,
  DateSegment,
  Dialog,
  Group,
  Heading,
  I18nProvider,
  Popover,
} from "react-aria-components";
import { IconButton } from "../../components/button";
import { FieldLabel, FieldNotes, type FieldTexts } from "../../components/field";
import { t } from "../../messages/messages";

type AnyDate = CalendarDate | CalendarDateTime;

interface SegmentedProps<T> {
  readonly texts: FieldTexts;
  readonly value: T | null;
  readonly onChange: (value: T | null) => void;
  readonly onBlur: () => void;
  readonly group: RefObject<HTMLDivElement | null>;
  readonly locale: string;
  readonly isRequired: boolean;
  readonly isReadOnly: boolean;
  readonly granularity: "day" | "minute" | "second";
  readonly hourCycle: 12 | 24;
  /** What stands behind the parts, such as the time zone. */
  readonly suffix?: ReactNode;
}

export function DateField<T extends AnyDate>(props: SegmentedProps<T>) {
  const { texts, value, onChange, isRequired, isReadOnly, granularity, hourCycle } = props;
  return (
    <I18nProvider locale={props.locale}>
      <DatePicker<AnyDate>
        className="field"
        value={value}
        onChange={(date) => onChange(date as T | null)}
        onBlur={props.onBlur}
        granularity={granularity}
        hourCycle={hourCycle}
        hideTimeZone
        shouldForceLeadingZeros
        isRequired={isRequired}
        isReadOnly={isReadOnly}
        isInvalid={Boolean(texts.error)}
        validationBehavior="aria"
      >
        <FieldLabel isRequired={isRequired}>{texts.label}</FieldLabel>
        <Group className="input segmented">
          <Segments {...props} />
          {!isReadOnly && (
            <AriaButton
              className="button button-quiet button-icon button-small"
              aria-label={t("Choose a date")}
            >
              <CalendarDays aria-hidden />
            </AriaButton>
          )}
        </Group>
        <FieldNotes {...texts} />
        <Popover className="popover" offset={4}>
          <Dialog className="popover-content" aria-label={t("Choose a date")}>
            <MonthCalendar />
          </Dialog>
        </Popover>
      </DatePicker>
    </I18nProvider>
  );
}

export function TimeField(props: SegmentedProps<Time>) {
  const { texts, value, onChange, isRequired, isReadOnly, granularity, hourCycle } = props;
  return (
    <I18nProvider locale={props.locale}>
      <AriaTimeField<Time>
        className="field"
        value={value}
        onChange={onChange}
        onBlur={props.onBlur}
        granularity={granularity === "day" ? "minute" : granularity}
        hourCycle={hourCycle}
        shouldForceLeadingZeros
        isRequired={isRequired}
        isReadOnly={isReadOnly}
        isInvalid={Boolean(texts.error)}
        validationBehavior="aria"
      >
        <FieldLabel isRequired={isRequired}>{texts.label}</FieldLabel>
        <div className="input segmented">
          <Segments {...props} />
        </div>
        <FieldNotes {...texts} />
      </AriaTimeField>
    </I18nProvider>
  );
}

function Segments<T>(props: SegmentedProps<T>) {
  const { texts, group, value, onChange, isReadOnly, isRequired, suffix } = props;
  return (
    <>
      <DateInput className="segments" ref={group}>
        {(segment) => <DateSegment className="segment" segment={segment} />}
      </DateInput>
      {suffix && <span className="segments-suffix">{suffix}</span>}
      {value !== null && !isReadOnly && !isRequired && (
        <IconButton
          slot={null}
          icon={X}
          label={t("Clear {field}", { field: texts.label })}
          isSmall
          onPress={() => onChange(null)}
        />
      )}
    </>
  );
}

function MonthCalendar() {
  return (
    <Calendar className="calendar">
      <header className="calendar-header">
        <IconButton slot="previous" icon={ChevronLeft} label={t("Previous month")} isSmall />
        <Heading className="calendar-title" />
        <IconButton slot="next" icon={ChevronRight} label={t("Next month")} isSmall />
      </header>
      <CalendarGrid className="calendar-grid" weekdayStyle="short">
        <CalendarGridHeader>
          {(day) => <CalendarHeaderCell className="calendar-weekday">{day}</CalendarHeaderCell>}
        </CalendarGridHeader>
        <CalendarGridBody>{(date) => <CalendarCell className="calendar-day" date={date} />}</CalendarGridBody>
      </CalendarGrid>
    </Calendar>
  );
}
