// The language, the time zone and the formats of a member.

import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../components/button";
import { Banner } from "../components/feedback";
import { SelectField } from "../components/field";
import { Section } from "../components/layout";
import { SuggestField } from "../components/suggest_field";
import { showToast } from "../components/toast";
import { t } from "../messages/messages";
import { exampleOf } from "./java_pattern";
import { useSubmission } from "./use_submission";

export interface Preferences {
  readonly language: string;
  readonly timeZone: string;
  readonly dateFormat: string;
  readonly timeFormat: string;
}

const LANGUAGES =
  "ar bg ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nb nl pl pt pt-BR ro ru sk sl sr sv th tr uk vi zh zh-Hant".split(
    " ",
  );
const DATE_FORMATS = [
  "dd/MM/yyyy",
  "MM/dd/yyyy",
  "dd.MM.yyyy",
  "yyyy-MM-dd",
  "d MMM yyyy",
  "EEEE d MMMM yyyy",
  "iso",
];
const TIME_FORMATS = ["HH:mm", "HH:mm:ss", "h:mm a", "iso"];

interface PreferencesFormProps {
  readonly preferences: Preferences;
  /** Saves the fields that have changed. */
  readonly onSave: (changed: Partial<Preferences>) => Promise<void>;
  /** Whether another form of the page comes first. */
  readonly isSecondary?: boolean;
}

export function PreferencesForm({ preferences, onSave, isSecondary = false }: PreferencesFormProps) {
  const [draft, setDraft] = useState<Preferences>(preferences);
  const labels = {
    language: t("Language"),
    timeZone: t("Time zone"),
    dateFormat: t("Date format"),
    timeFormat: t("Time format"),
  };
  const { errors, isPending, submit } = useSubmission(labels);
  const set = (name: keyof Preferences) => (value: string) => setDraft({ ...draft, [name]: value });
  const example = useExample(draft.timeZone);

  async function save(event: FormEvent) {
    event.preventDefault();
    const changed = Object.fromEntries(
      Object.entries(draft).filter(([name, value]) => value !== preferences[name as keyof Preferences]),
    );
    if (await submit(() => onSave(changed))) showToast(t("Saved"));
  }

  return (
    <Section title={t("Language and formats")}>
      <Form className="section-form" onSubmit={(event) => void save(event)}>
        {errors.rest && <Banner kind="error">{errors.rest}</Banner>}
        <div className="form-grid">
          <SelectField
            label={labels.language}
            value={draft.language}
            onChange={set("language")}
            choices={languageChoices(preferences.language)}
            error={errors.fields["language"]}
          />
          <SuggestField
            label={labels.timeZone}
            value={draft.timeZone}
            onChange={set("timeZone")}
            suggestions={zones()}
            description={t("Search for a city, such as Rome.")}
            error={errors.fields["timeZone"]}
          />
          <SuggestField
            label={labels.dateFormat}
            value={draft.dateFormat}
            onChange={set("dateFormat")}
            suggestions={DATE_FORMATS.map((value) => ({ value, note: example(value) }))}
            description={noteOf(example(draft.dateFormat))}
            error={errors.fields["dateFormat"]}
          />
          <SuggestField
            label={labels.timeFormat}
            value={draft.timeFormat}
            onChange={set("timeFormat")}
            suggestions={TIME_FORMATS.map((value) => ({ value, note: example(value) }))}
            description={noteOf(example(draft.timeFormat))}
            error={errors.fields["timeFormat"]}
          />
        </div>
        <div>
          <Button type="submit" variant={isSecondary ? "plain" : "primary"} isPending={isPending}>
            {t("Save")}
          </Button>
        </div>
      </Form>
    </Section>
  );
}

/** Returns what shows the present instant in a pattern. */
function useExample(timeZone: string): (pattern: string) => string | null {
  const [now] = useState(() => new Date());
  return (pattern) => (pattern === "iso" ? t("ISO 8601") : exampleOf(pattern, now, timeZone));
}

function noteOf(example: string | null): string {
  return example === null
    ? t("A pattern of letters, or iso for ISO 8601.")
    : t("Now: {example}", { example });
}

function zones() {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")].map((value) => ({
    value,
  }));
}

function languageChoices(present: string) {
  const codes = new Set([...LANGUAGES, present]);
  return [...codes]
    .map((value) => ({ value, label: languageName(value) }))
    .sort((one, other) => one.label.localeCompare(other.label));
}

/** Returns what a language calls itself. */
function languageName(code: string): string {
  try {
    const name = new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
    return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
  } catch {
    return code;
  }
}
