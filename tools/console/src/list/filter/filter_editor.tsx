// The form of a filter. It loads when it is opened.

import { lazy, Suspense } from "react";
import { Loading } from "../../components/feedback";
import type { List } from "../list";
import type { Condition } from "./condition";

/** A condition on a field, or an expression of the API. */
export type Filter = { readonly condition: Condition } | { readonly expression: string };

export interface FilterEditorProps {
  readonly list: List;
  /** The filter to change. A new one if there is none. */
  readonly filter?: Filter;
  readonly onApply: (filter: Filter) => void;
}

const Form = lazy(() => import("./filter_form"));

export function FilterEditor(props: FilterEditorProps) {
  return (
    <Suspense fallback={<Loading />}>
      <Form {...props} />
    </Suspense>
  );
}
