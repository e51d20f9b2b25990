// The line of an association in the diagram, with how many objects each end leads to.

import { memo } from "react";
import type { EdgeLine, Point } from "./layout";
import { arrowOf, cornersOf, diamondOf, labelPlace, middleOf, pathOf } from "./lines";
import { cardinality, edgeName } from "./model_graph";

interface EdgeShapeProps {
  readonly line: EdgeLine;
  /** Whether it belongs to the class at which the member looks. */
  readonly isActive: boolean;
  readonly isFaded: boolean;
}

/** The distances of the texts at the ends from the boxes. A diamond needs more room. */
const NEAR = 16;
const AFTER_DIAMOND = 28;

export const EdgeShape = memo(function EdgeShape({ line, isActive, isFaded }: EdgeShapeProps) {
  const { edge, points, label } = line;
  const names = [
    "edge",
    isActive ? "is-active" : "",
    isFaded ? "is-faded" : "",
    edge.isComposition ? "is-composition" : "",
  ];
  const isLoop = edge.from === edge.to;
  const place = label ?? (isActive ? middleOf(points) : null);
  return (
    <g className={names.filter(Boolean).join(" ")}>
      <path className="edge-line" d={isLoop ? cornersOf(points) : pathOf(points)} />
      {!isLoop && <Ends line={line} />}
      {place && (
        <text className="edge-name" x={place.x} y={place.y}>
          {edgeName(edge)}
        </text>
      )}
    </g>
  );
});

/** What stands at the ends: the diamond of a whole, the arrow of a one-way role, and how many objects. */
function Ends({ line: { edge, points } }: { readonly line: EdgeLine }) {
  return (
    <>
      {edge.isComposition && <path className="edge-diamond" d={diamondOf(points)} />}
      {!edge.back && !edge.isComposition && <path className="edge-arrow" d={arrowOf(points)} />}
      {edge.back && (
        <EdgeText
          place={labelPlace(points, false, edge.isComposition ? AFTER_DIAMOND : NEAR)}
          text={cardinality(edge.back)}
        />
      )}
      <EdgeText place={labelPlace(points, true, NEAR)} text={cardinality(edge.role)} />
    </>
  );
}

function EdgeText({ place, text }: { readonly place: Point; readonly text: string }) {
  return (
    <text className="edge-text" x={place.x} y={place.y}>
      {text}
    </text>
  );
}
