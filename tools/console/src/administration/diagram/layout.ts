// Where the boxes and lines of the diagram are: each group of classes by itself, and the groups in rows.

import { Graph, layout as layOut } from "@dagrejs/dagre";
import type { ModelClass } from "../../description/model";
import { type Edge, edgeName, type ModelGraph, ownAttributes, partOf } from "./model_graph";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface ClassBox extends Box {
  readonly class_: ModelClass;
  /** The rows of attributes that are shown, and how many are not. */
  readonly rows: readonly AttributeRow[];
  readonly hidden: number;
}

export interface AttributeRow {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

export interface EdgeLine {
  readonly edge: Edge;
  readonly points: readonly Point[];
  /** The place that is kept free for the names of the roles. Large diagrams keep none. */
  readonly label?: Point;
}

export interface GroupFrame extends Box {
  readonly name: string;
}

export interface Diagram {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly ClassBox[];
  readonly lines: readonly EdgeLine[];
  readonly frames: readonly GroupFrame[];
}

export const HEADER = 32;
export const ROW = 20;
export const PADDING = 12;
const MOST_ROWS = 12;
const MOST_CHARACTERS = 34;
const NAME_CHARACTER = 8;
const ROW_CHARACTER = 6.8;
const LINE_CHARACTER = 6.2;
const GAP = 72;
const FRAME = 24;
const FRAME_HEADER = 24;
/** Diagrams of more classes show the names of roles only for one class at a time. */
const MOST_WITH_NAMES = 14;
/** Diagrams of fewer classes are easier to read as a whole. */
const MOST_WITHOUT_FRAMES = 20;
/** The width of the whole diagram by its height that the rows of groups aim at. */
const ASPECT = 1.7;

/** Lays out a graph. `isOpen` says whether the box of a class shows its attributes. */
export function layoutOf(graph: ModelGraph, isOpen: (class_: ModelClass) => boolean): Diagram {
  const style = { hasNames: graph.classes.length <= MOST_WITH_NAMES, isOpen };
  const names = [...new Set(graph.classes.map(({ group }) => group ?? ""))];
  if (names.length < 2 || graph.classes.length <= MOST_WITHOUT_FRAMES) return layoutOfPart(graph, style);
  const parts = names.map((name) => ({
    name,
    diagram: layoutOfPart(
      partOf(graph, ({ group }) => (group ?? "") === name),
      style,
    ),
  }));
  return joined(parts, graph.edges);
}

/** Returns the size and the rows of the box of a class, at no place yet. */
export function boxOf(class_: ModelClass, isOpen: boolean): Omit<ClassBox, "x" | "y"> {
  const attributes = isOpen ? ownAttributes(class_) : [];
  // One more row says how many are hidden, so a single one is shown in its place.
  const shown = attributes.length > MOST_ROWS + 1 ? attributes.slice(0, MOST_ROWS) : attributes;
  const rows = shown.map(({ name, type, required }) => ({ name, type, isRequired: required }));
  const hidden = attributes.length - shown.length;
  const longest = Math.max(
    (Math.min(class_.name.length, MOST_CHARACTERS) + 3) * NAME_CHARACTER,
    ...rows.map(
      ({ name, type }) => (Math.min(name.length, MOST_CHARACTERS) + type.length + 3) * ROW_CHARACTER,
    ),
  );
  const count = rows.length + (hidden > 0 ? 1 : 0);
  return {
    class_,
    rows,
    hidden,
    width: Math.round(Math.max(112, longest + 2 * PADDING)),
    height: HEADER + (count > 0 ? count * ROW + PADDING : 0),
  };
}

/** Cuts a text that is too long for a box. */
export function shortened(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text;
}

interface Style {
  /** Whether lines have the names of their roles. */
  readonly hasNames: boolean;
  readonly isOpen: (class_: ModelClass) => boolean;
}

function layoutOfPart({ classes, edges }: ModelGraph, { hasNames, isOpen }: Style): Diagram {
  const boxes = classes.map((class_) => boxOf(class_, isOpen(class_)));
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 28, ranksep: hasNames ? 40 : 72, edgesep: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { class_, width, height } of boxes) graph.setNode(class_.name, { width, height });
  // Lines from a class to itself are drawn at its corner.
  for (const edge of edges) {
    const size = hasNames
      ? { width: edgeName(edge).length * LINE_CHARACTER, height: ROW, labelpos: "c" }
      : {};
    if (edge.from !== edge.to) graph.setEdge(edge.from, edge.to, size, edge.id);
  }
  layOut(graph);
  const placed = boxes.map((box) => {
    const { x, y } = graph.node(box.class_.name) as Point;
    return { ...box, x: x - box.width / 2, y: y - box.height / 2 };
  });
  const lines = edges
    .filter(({ from, to }) => from !== to)
    .map((edge) => {
      const route = graph.edge(edge.from, edge.to, edge.id) as Point & { points: readonly Point[] };
      const points = atSides(route.points, boxNamed(placed, edge.from), boxNamed(placed, edge.to));
      return hasNames ? { edge, points, label: { x: route.x, y: route.y } } : { edge, points };
    });
  const loops = edges.filter(({ from, to }) => from === to).map((edge) => loopOf(edge, placed, hasNames));
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { width, height, boxes: placed, lines: [...lines, ...loops], frames: [] };
}

/** Moves the ends of a line to the left and right sides of its boxes, away from their corners. */
function atSides(points: readonly Point[], from: ClassBox, to: ClassBox): readonly Point[] {
  const [first, second = { x: 0, y: 0 }] = points;
  const [last, before = { x: 0, y: 0 }] = [points[points.length - 1], points[points.length - 2]];
  if (!first || !last) return points;
  return [sideOf(from, first, second), ...points.slice(1, -1), sideOf(to, last, before)];
}

function sideOf(box: Box, end: Point, next: Point): Point {
  const isRight = next.x > box.x + box.width / 2;
  const margin = Math.min(10, box.height / 2);
  return {
    x: isRight ? box.x + box.width : box.x,
    y: Math.min(box.y + box.height - margin, Math.max(box.y + margin, end.y)),
  };
}

/** Returns a line around the upper right corner of a class. */
function loopOf(edge: Edge, boxes: readonly ClassBox[], hasName: boolean): EdgeLine {
  const box = boxNamed(boxes, edge.from);
  const right = box.x + box.width;
  const out = 14;
  return {
    edge,
    ...(hasName ? { label: { x: right - 7, y: box.y - out - 9 } } : {}),
    points: [
      { x: right - 28, y: box.y },
      { x: right - 28, y: box.y - out },
      { x: right + out, y: box.y - out },
      { x: right + out, y: box.y + 12 },
      { x: right, y: box.y + 12 },
    ],
  };
}

interface NamedPart {
  readonly name: string;
  readonly diagram: Diagram;
}

/** Puts parts into rows, in their order, each in a frame with its name. */
function joined(parts: readonly NamedPart[], edges: readonly Edge[]): Diagram {
  const sizes = parts.map(({ diagram }) => ({
    width: diagram.width + 2 * FRAME,
    height: diagram.height + FRAME + FRAME_HEADER,
  }));
  const area = sizes.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0);
  const rowWidth = Math.max(Math.sqrt(area * ASPECT), ...sizes.map(({ width }) => width));
  const frames: GroupFrame[] = [];
  const boxes: ClassBox[] = [];
  const lines: EdgeLine[] = [];
  let [x, y, rowHeight] = [0, 0, 0];
  parts.forEach(({ name, diagram }, index) => {
    const size = sizes[index] ?? { width: 0, height: 0 };
    if (x > 0 && x + size.width > rowWidth) [x, y, rowHeight] = [0, y + rowHeight + GAP, 0];
    const [left, top] = [x + FRAME, y + FRAME_HEADER];
    frames.push({ name, x, y, ...size });
    boxes.push(...diagram.boxes.map((box) => ({ ...box, x: box.x + left, y: box.y + top })));
    lines.push(
      ...diagram.lines.map(({ edge, points, label }) => ({
        edge,
        points: points.map((point) => moved(point, left, top)),
        ...(label ? { label: moved(label, left, top) } : {}),
      })),
    );
    x += size.width + GAP;
    rowHeight = Math.max(rowHeight, size.height);
  });
  const drawn = new Set(lines.map(({ edge }) => edge));
  const between = edges.filter((edge) => !drawn.has(edge)).map((edge) => lineBetween(edge, boxes));
  const width = Math.max(...frames.map((frame) => frame.x + frame.width));
  return { width, height: y + rowHeight, boxes, lines: [...between, ...lines], frames };
}

function moved({ x, y }: Point, right: number, down: number): Point {
  return { x: x + right, y: y + down };
}

/** Returns a line between the sides of two boxes that face each other. */
function lineBetween(edge: Edge, boxes: readonly ClassBox[]): EdgeLine {
  const [from, to] = [boxNamed(boxes, edge.from), boxNamed(boxes, edge.to)];
  const isRight = to.x > from.x + from.width;
  const isLeft = to.x + to.width < from.x;
  if (isRight || isLeft) {
    const start = { x: isRight ? from.x + from.width : from.x, y: from.y + from.height / 2 };
    const end = { x: isRight ? to.x : to.x + to.width, y: to.y + to.height / 2 };
    const middle = (start.x + end.x) / 2;
    return { edge, points: [start, { x: middle, y: (start.y + end.y) / 2 }, end] };
  }
  // Boxes above each other are connected at their left sides.
  const start = { x: from.x, y: from.y + from.height / 2 };
  const end = { x: to.x, y: to.y + to.height / 2 };
  const left = Math.min(start.x, end.x) - FRAME / 2;
  return { edge, points: [start, { x: left, y: (start.y + end.y) / 2 }, end] };
}

function boxNamed(boxes: readonly ClassBox[], name: string): ClassBox {
  const box = boxes.find(({ class_ }) => class_.name === name);
  if (!box) throw new Error(`The diagram has no class ${name}.`);
  return box;
}
