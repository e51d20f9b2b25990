// A field that finds an object by its label, among those that a role may lead to.

import "./roles.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChevronsUpDown, X } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Button as AriaButton, ComboBox, Input, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { IconButton } from "../../components/button";
import { FieldLabel, FieldNotes } from "../../components/field";
import type { Role } from "../../description/model";
import type { StoredObject } from "../../description/stored_object";
import { useModel } from "../../description/use_model";
import { associablesDocument, type Owner } from "../../documents/associables";
import { nameOf } from "../../documents/name";
import { t } from "../../messages/messages";
import { asServiceError } from "../../service/errors";
import { ask } from "../../service/graphql";
import { type Reference, referenceOf } from "../draft";
import { useDebounced } from "./use_debounced";

interface ObjectPickerProps {
  readonly role: Role;
  /** Where the objects are found. */
  readonly owner: Owner;
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly warning?: string | undefined;
  readonly value: Reference | null;
  readonly onChange: (value: Reference | null) => void;
  readonly onBlur?: () => void;
  readonly isRequired?: boolean;
  readonly autoFocus?: boolean;
  readonly placeholder?: string;
  /** Objects that can't be chosen, since they are there already. */
  readonly without?: ReadonlySet<string>;
  /** What stands beside the field, such as a link to the object. */
  readonly beside?: ReactNode;
}

interface Page {
  readonly items: readonly StoredObject[];
  readonly hasNext: boolean;
}

/** Returns the objects that a role may lead to, and whose label has a text. */
function useAssociables(role: Role, owner: Owner, text: string, isOpen: boolean) {
  const asked = associablesDocument(useModel(), owner, role, text);
  return useQuery({
    queryKey: ["associables", role.target, asked?.document, asked?.variables],
    enabled: isOpen && asked !== null,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      if (!asked) return null;
      const { data } = await ask<Record<string, unknown>>(asked.document, asked.variables, signal);
      // A way that leads nowhere is a role whose objects the member may not see.
      const page = asked.path.reduce<unknown>(
        (found, step) => (found as Record<string, unknown> | null)?.[step] ?? null,
        data,
      );
      return page as Page | null;
    },
  });
}

export function ObjectPicker(props: ObjectPickerProps) {
  const { role, owner, label, value, onChange, without, placeholder = t("Search…") } = props;
  const shown = value ? value.label || value.id : "";
  const [text, setText] = useState(shown);
  const [isOpen, setOpen] = useState(false);
  const [isTyped, setTyped] = useState(false);
  const search = useDebounced(isTyped ? text.trim() : "", 200);
  const { data, error, isFetching } = useAssociables(role, owner, search, isOpen);
  const found = (data?.items ?? []).filter(({ _id }) => !without?.has(_id));

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text follows the value.
  useEffect(() => {
    setText(shown);
    setTyped(false);
  }, [value?.id, shown]);

  function choose(key: string | number | null) {
    const item = found.find(({ _id }) => _id === key);
    if (!item) return;
    onChange(referenceOf(item));
    setText(without ? "" : titleOfItem(item));
    setTyped(false);
  }

  function leave() {
    if (isTyped && text.trim() === "" && value && !without) onChange(null);
    else setText(shown);
    setTyped(false);
    props.onBlur?.();
  }

  return (
    <ComboBox
      className="field"
      {...(props.isLabelHidden ? { "aria-label": label } : {})}
      items={found}
      inputValue={text}
      onInputChange={(changed) => {
        if (changed === text) return;
        setText(changed);
        setTyped(true);
      }}
      selectedKey={value?.id ?? null}
      onSelectionChange={choose}
      onOpenChange={setOpen}
      onBlur={leave}
      // Whoever has just chosen something opens the list by typing, or with the arrow keys.
      menuTrigger={props.autoFocus ? "input" : "focus"}
      autoFocus={props.autoFocus ?? false}
      allowsEmptyCollection
      isInvalid={Boolean(props.error)}
      isRequired={props.isRequired ?? false}
      validationBehavior="aria"
    >
      {!props.isLabelHidden && <FieldLabel isRequired={props.isRequired ?? false}>{label}</FieldLabel>}
      <div className="picker">
        <div className="input-group">
          <Input className="input" dir="auto" placeholder={placeholder} />
          {value && !without ? (
            // Not slotted: the only button of a combobox would open it.
            <IconButton
              slot={null}
              icon={X}
              isSmall
              label={t("Clear {field}", { field: label })}
              onPress={() => {
                onChange(null);
                setText("");
              }}
            />
          ) : (
            <AriaButton className="picker-mark">
              <ChevronsUpDown size={14} aria-hidden />
            </AriaButton>
          )}
        </div>
        {props.beside}
      </div>
      <FieldNotes description={props.description} error={props.error} warning={props.warning} />
      <Popover className="popover picker-popover" offset={4}>
        <ListBox
          className="menu"
          renderEmptyState={() => (
            <p className="menu-header">{emptyText(error, isFetching || data === undefined, search)}</p>
          )}
        >
          {(item: StoredObject) => (
            <ListBoxItem id={item._id} className="menu-item" textValue={titleOfItem(item)}>
              <span className="user-text">{titleOfItem(item)}</span>
            </ListBoxItem>
          )}
        </ListBox>
        {data?.hasNext && <p className="menu-header">{t("There are more. Type to find them.")}</p>}
      </Popover>
    </ComboBox>
  );
}

function titleOfItem(item: StoredObject): string {
  return nameOf(item) ?? item._id;
}

function emptyText(error: unknown, isWaiting: boolean, search: string): string {
  if (error) return asServiceError(error).message;
  if (isWaiting) return t("Searching…");
  return search ? t("Nothing has this in its name.") : t("There is nothing to choose.");
}
