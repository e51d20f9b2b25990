// What a member keeps of a list on this device: its columns, and how many objects a page has.

import { useCallback, useState } from "react";
import type { ModelClass } from "../description/model";
import { useModel } from "../description/use_model";
import { useMember } from "../session/member";
import { type Column, columnsOf, defaultColumns } from "./columns";

export const SIZES: readonly number[] = [25, 50, 100, 200];
const SIZE = 50;

interface Kept {
  readonly columns?: readonly string[];
  readonly size?: number;
}

export interface ListPreferences {
  readonly columns: readonly Column[];
  readonly size: number;
  readonly isChosen: boolean;
  /** Shows these columns from now on; null for the usual ones. */
  readonly setColumns: (columns: readonly Column[] | null) => void;
  readonly setSize: (size: number) => void;
}

export function useListPreferences(class_: ModelClass): ListPreferences {
  const model = useModel();
  const { username } = useMember();
  const key = `stratabase.list ${model.description.application} ${username} ${class_.name}`;
  const [kept, setKept] = useState(() => read(key));
  const keep = useCallback(
    (change: (kept: Kept) => Kept) =>
      setKept((current) => {
        const next = change(current);
        write(key, next);
        return next;
      }),
    [key],
  );
  const chosen = kept.columns && columnsOf(kept.columns, class_, model);
  return {
    columns: chosen ?? defaultColumns(class_, model),
    size: kept.size ?? SIZE,
    isChosen: chosen !== undefined,
    setColumns: (columns) =>
      keep(({ columns: _, ...rest }) =>
        columns ? { ...rest, columns: columns.map(({ name }) => name) } : rest,
      ),
    setSize: (size) => keep((current) => ({ ...current, size })),
  };
}

function read(key: string): Kept {
  try {
    const { columns, size } = JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<
      Record<string, unknown>
    >;
    return {
      ...(Array.isArray(columns) && { columns: columns.filter((each) => typeof each === "string") }),
      ...(SIZES.includes(size as number) && { size: size as number }),
    };
  } catch {
    return {};
  }
}

function write(key: string, kept: Kept): void {
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // The device keeps nothing. The choice holds until the page is left.
  }
}
