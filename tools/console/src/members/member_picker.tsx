// Chooses a member by a part of the name.

import "../components/suggest_field.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { ComboBox, Input, ListBox, ListBoxItem, Popover, Text } from "react-aria-components";
import { FieldLabel, FieldNotes } from "../components/field";
import { t } from "../messages/messages";
import { type ListedMember, memberSuggestionsQuery } from "./members_query";

interface MemberPickerProps {
  readonly label: string;
  /** The ID of the member, empty for none. */
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly error?: string | undefined;
  /** The ID of a member that can't be chosen. */
  readonly without?: string;
  readonly isOptional?: boolean;
}

export function MemberPicker({
  label,
  value,
  onChange,
  error,
  without,
  isOptional = false,
}: MemberPickerProps) {
  const [typed, setTyped] = useState("");
  const search = useDeferredValue(typed);
  const { data = [] } = useQuery({ ...memberSuggestionsQuery(search), placeholderData: keepPreviousData });
  const members = data.filter(({ _id }) => _id !== without).map((each) => ({ ...each, id: each._id }));
  return (
    <ComboBox
      className="field"
      items={members}
      inputValue={typed}
      onInputChange={setTyped}
      value={value || null}
      onChange={(key) => onChange(key === null ? "" : String(key))}
      menuTrigger="focus"
      allowsEmptyCollection
      isInvalid={Boolean(error)}
      validationBehavior="aria"
    >
      <FieldLabel isRequired={!isOptional}>{label}</FieldLabel>
      <Input className="input" dir="auto" spellCheck="false" placeholder={t("Search by name")} />
      <FieldNotes error={error} />
      <Popover className="popover suggest-popover" offset={4}>
        <ListBox<ListedMember & { readonly id: string }>
          className="menu"
          renderEmptyState={() => <p className="menu-header">{t("No member matches")}</p>}
        >
          {({ username, email }) => (
            <ListBoxItem className="menu-item suggest-item" textValue={username}>
              <Text slot="label" className="user-text">
                {username}
              </Text>
              <Text slot="description" className="quiet user-text">
                {email ?? t("Program")}
              </Text>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
