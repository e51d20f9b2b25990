// A field that finds an object of a class by its label, for a condition that names it.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ComboBox, Input, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { FieldLabel, FieldNotes } from "../../components/field";
import type { ModelClass } from "../../description/model";
import { titleOf } from "../../description/sidebar";
import { labelOf, type StoredObject } from "../../description/stored_object";
import { labelsDocument } from "../../documents/list";
import { searchExpression } from "../../documents/search";
import { t } from "../../messages/messages";
import { asServiceError } from "../../service/errors";
import { ask } from "../../service/graphql";

/** How many objects a search shows. */
const SHOWN = 20;
/** Milliseconds without a key after which a search begins. */
const PAUSE = 250;

interface ObjectChoiceProps {
  readonly class_: ModelClass;
  readonly id: string | null;
  /** The label of the object with this id. */
  readonly label: string;
  readonly isMissing: boolean;
  readonly onChange: (id: string) => void;
}

export function ObjectChoice({ class_, id, label, isMissing, onChange }: ObjectChoiceProps) {
  const [text, setText] = useState(label);
  const [search, setSearch] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text === label ? "" : text.trim()), PAUSE);
    return () => clearTimeout(timer);
  }, [text, label]);
  const { data = [], error } = useFound(class_, search);
  const missing = isMissing ? t("Choose one from the list.") : undefined;
  return (
    <ComboBox
      className="field"
      items={data}
      inputValue={text}
      onInputChange={setText}
      selectedKey={id}
      onSelectionChange={(key) => {
        const found = data.find(({ _id }) => _id === key);
        if (!found) return;
        setText(labelOf(found));
        onChange(found._id);
      }}
      menuTrigger="focus"
      allowsEmptyCollection
      isInvalid={Boolean(missing ?? error)}
      validationBehavior="aria"
    >
      <FieldLabel>{titleOf(class_.name)}</FieldLabel>
      <Input className="input" dir="auto" placeholder={t("Search by label")} />
      <FieldNotes error={missing ?? (error ? asServiceError(error).message : undefined)} />
      <Popover className="popover object-choice" offset={4}>
        <ListBox<StoredObject>
          className="menu"
          renderEmptyState={() => <p className="menu-header">{t("Nothing matches")}</p>}
        >
          {(object) => (
            <ListBoxItem id={object._id} className="menu-item" textValue={labelOf(object)}>
              <span className="user-text">{labelOf(object)}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

function useFound(class_: ModelClass, search: string) {
  const expression = searchExpression(search, class_);
  const options = { next: SHOWN, ...(expression && { filter_exp: expression }) };
  return useQuery({
    queryKey: ["list", class_.name, "labels", options],
    queryFn: async ({ signal }) => {
      const { data } = await ask<{ page: { items: StoredObject[] } }>(
        labelsDocument(class_),
        { options },
        signal,
      );
      return data.page.items;
    },
    placeholderData: keepPreviousData,
  });
}
