// The box of a class in the diagram.

import { memo } from "react";
import type { ModelClass } from "../../description/model";
import { t } from "../../messages/messages";
import { type ClassBox, HEADER, PADDING, ROW, shortened } from "./layout";

interface ClassShapeProps {
  readonly box: ClassBox;
  readonly isFaded: boolean;
}

/** What a press on a part of a box does, in the attribute `data-action`. */
export type BoxAction = "open" | "focus" | "toggle";

export const ClassShape = memo(function ClassShape({ box, isFaded }: ClassShapeProps) {
  const { class_, width, height, rows, hidden, x, y } = box;
  const { name } = class_;
  return (
    <g
      transform={`translate(${x} ${y})`}
      className={isFaded ? "class-box is-faded" : "class-box"}
      data-class={name}
      data-kind={class_.kind}
    >
      <title>{class_.description ? `${name}: ${class_.description}` : name}</title>
      <rect className="class-frame" width={width} height={height} rx={6} data-action="open" />
      <text className="class-name" x={PADDING} y={HEADER / 2} data-action="open">
        {shortened(name)}
      </text>
      <FocusMark x={width - PADDING - 6} />
      {rows.length > 0 && <path className="class-rule" d={`M0 ${HEADER}H${width}`} />}
      {rows.map((row, index) => (
        <text key={row.name} className="class-row" y={HEADER + PADDING / 2 + ROW * (index + 0.5)}>
          <tspan x={PADDING} className={row.isRequired ? "is-required" : ""}>
            {shortened(row.name)}
          </tspan>
          <tspan className="class-type" x={width - PADDING} textAnchor="end">
            {row.type}
          </tspan>
        </text>
      ))}
      {hidden > 0 && (
        <text className="class-more" x={PADDING} y={HEADER + PADDING / 2 + ROW * (rows.length + 0.5)}>
          {t("and {count} more", { count: hidden })}
        </text>
      )}
      {kindOf(class_) && (
        <text className="class-kind" x={width} y={-6} textAnchor="end">
          {kindOf(class_)}
        </text>
      )}
    </g>
  );
});

/** The mark that leads to the neighbourhood of the class. */
function FocusMark({ x }: { readonly x: number }) {
  return (
    <g className="class-focus" data-action="focus">
      <title>{t("Show only its neighborhood")}</title>
      <rect x={x - 12} y={HEADER / 2 - 12} width={24} height={24} rx={4} />
      <circle cx={x} cy={HEADER / 2} r={4.5} />
      <circle className="class-focus-dot" cx={x} cy={HEADER / 2} r={1.5} />
    </g>
  );
}

function kindOf({ kind }: ModelClass): string {
  if (kind === "SINGLETON") return t("one object");
  if (kind === "FORM") return t("form");
  return kind === "USERS" ? t("members") : "";
}
