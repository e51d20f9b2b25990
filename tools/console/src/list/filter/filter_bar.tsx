// The conditions of a list as chips that can be changed and removed.

import { Code, X } from "lucide-react";
import { Button as AriaButton } from "react-aria-components";
import { Button, IconButton } from "../../components/button";
import { PopoverButton } from "../../components/menu";
import { useModel } from "../../description/use_model";
import { t } from "../../messages/messages";
import { useMember } from "../../session/member";
import type { List } from "../list";
import { EVERYTHING, isNarrowed } from "../list_state";
import type { Condition } from "./condition";
import { FilterEditor } from "./filter_editor";
import { conditionSentence } from "./sentences";

export function FilterBar({ list }: { readonly list: List }) {
  const { class_, state, change, query } = list;
  const context = { model: useModel(), member: useMember(), labels: query.data?.labels ?? new Map() };
  const { conditions, expression } = state;
  if (conditions.length === 0 && !expression) return null;
  const replace = (index: number, condition: Condition | null) =>
    change({
      conditions: conditions.flatMap((each, at) => (at !== index ? [each] : condition ? [condition] : [])),
    });
  return (
    <ul className="filter-bar" aria-label={t("Filters")}>
      {conditions.map((condition, index) => {
        const sentence = conditionSentence(condition, class_, context);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two conditions may be equal.
          <li key={index} className="filter-chip">
            <PopoverButton
              label={sentence}
              trigger={<AriaButton className="filter-chip-text">{sentence}</AriaButton>}
            >
              {(close) => (
                <FilterEditor
                  list={list}
                  filter={{ condition }}
                  onApply={(filter) => {
                    if ("condition" in filter) replace(index, filter.condition);
                    close();
                  }}
                />
              )}
            </PopoverButton>
            <IconButton
              icon={X}
              isSmall
              label={t("Remove the filter {sentence}", { sentence })}
              onPress={() => replace(index, null)}
            />
          </li>
        );
      })}
      {expression && (
        <li className="filter-chip">
          <PopoverButton
            label={t("Expression")}
            trigger={
              <AriaButton className="filter-chip-text">
                <Code aria-hidden />
                <code>{expression}</code>
              </AriaButton>
            }
          >
            {(close) => (
              <FilterEditor
                list={list}
                filter={{ expression }}
                onApply={(filter) => {
                  if ("expression" in filter) change({ expression: filter.expression });
                  close();
                }}
              />
            )}
          </PopoverButton>
          <IconButton
            icon={X}
            isSmall
            label={t("Remove the expression")}
            onPress={() => change({ expression: "" })}
          />
        </li>
      )}
      {isNarrowed(state) && (
        <li>
          <Button variant="quiet" isSmall onPress={() => change({ ...EVERYTHING, order: state.order })}>
            {t("Clear all")}
          </Button>
        </li>
      )}
    </ul>
  );
}
