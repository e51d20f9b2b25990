// The lines of the diagram as paths of SVG, and what stands at their ends.

import type { Point } from "./layout";

/** Returns a path along points, which leaves and reaches each of them horizontally. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  return rest.reduce(
    (path, point, index) => {
      const before = points[index] ?? first;
      const middle = (before.x + point.x) / 2;
      return `${path}C${at({ x: middle, y: before.y })} ${at({ x: middle, y: point.y })} ${at(point)}`;
    },
    `M${at(first)}`,
  );
}

/** Returns a path along points, with corners. */
export function cornersOf(points: readonly Point[]): string {
  return points.map((point, index) => `${index === 0 ? "M" : "L"}${at(point)}`).join("");
}

/** Returns a diamond at the beginning of a line: the part belongs to the whole there. */
export function diamondOf(points: readonly Point[]): string {
  const [start, next] = points;
  if (!start || !next) return "";
  const { x, y } = direction(start, next);
  const corner = (along: number, across: number) =>
    at({ x: start.x + along * x - across * y, y: start.y + along * y + across * x });
  return `M${corner(0, 0)}L${corner(8, 4.5)}L${corner(16, 0)}L${corner(8, -4.5)}Z`;
}

/** Returns an arrowhead at the end of a line that can be followed in this direction only. */
export function arrowOf(points: readonly Point[]): string {
  const [end, before] = [points[points.length - 1], points[points.length - 2]];
  if (!end || !before) return "";
  const { x, y } = direction(end, before);
  const corner = (across: number) => at({ x: end.x + 9 * x - across * y, y: end.y + 9 * y + across * x });
  return `M${corner(4.5)}L${at(end)}L${corner(-4.5)}`;
}

/** Returns where the text at an end of a line stands: beside the line, before the box. */
export function labelPlace(points: readonly Point[], isEnd: boolean, distance: number): Point {
  const ordered = isEnd ? [...points].reverse() : points;
  const [start, next] = ordered;
  if (!start || !next) return { x: 0, y: 0 };
  const { x, y } = direction(start, next);
  return { x: start.x + x * distance, y: start.y + y * distance - 7 };
}

/** Returns the middle of a line. */
export function middleOf(points: readonly Point[]): Point {
  const lengths = points.slice(1).map((point, index) => distance(points[index] ?? point, point));
  let left = lengths.reduce((sum, length) => sum + length, 0) / 2;
  for (const [index, length] of lengths.entries()) {
    const [from, to] = [points[index], points[index + 1]];
    if (from && to && left <= length) {
      const share = length === 0 ? 0 : left / length;
      return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
    }
    left -= length;
  }
  return points[0] ?? { x: 0, y: 0 };
}

/** Returns the direction in which a line leaves one of its ends: to the left or to the right. */
function direction(end: Point, next: Point): Point {
  return { x: next.x < end.x ? -1 : 1, y: 0 };
}

function distance(from: Point, to: Point): number {
  return Math.hypot(to.x - from.x, to.y - from.y);
}

function at({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}
