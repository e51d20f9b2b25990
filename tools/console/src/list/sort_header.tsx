// The header of a column that can be sorted.

import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";

interface SortHeaderProps {
  readonly title: string;
  readonly isNumeric?: boolean;
  readonly className?: string;
  readonly direction: "ascending" | "descending" | null;
  /** Sorts by the column; null if nothing can. `isAdded`: besides what the rows are sorted by already. */
  readonly onSort: ((isAdded: boolean) => void) | null;
}

export function SortHeader({ title, isNumeric = false, direction, onSort, ...props }: SortHeaderProps) {
  const className = isNumeric ? "is-numeric" : props.className;
  if (!onSort) {
    return (
      <th scope="col" className={className}>
        {title}
      </th>
    );
  }
  const Icon = direction === null ? ChevronsUpDown : direction === "descending" ? ArrowDown : ArrowUp;
  return (
    <th scope="col" className={className} aria-sort={direction ?? "none"}>
      <button type="button" className="list-sort" onClick={(event) => onSort(event.shiftKey)}>
        {title}
        <Icon aria-hidden data-idle={direction === null || undefined} />
      </button>
    </th>
  );
}
