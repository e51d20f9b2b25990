// What part of the diagram is shown, and how the mouse, fingers and keys change it.

import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import type { Box, Point } from "./layout";

export interface Viewport extends Point {
  /** The pixels of a unit of the diagram. */
  readonly scale: number;
}

const SMALLEST = 0.08;
const LARGEST = 2.5;
const STEP = 1.25;
const KEY_STEP = 80; // pixels
const CLICK = 4; // pixels
const MOVES: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: KEY_STEP, y: 0 },
  ArrowRight: { x: -KEY_STEP, y: 0 },
  ArrowUp: { x: 0, y: KEY_STEP },
  ArrowDown: { x: 0, y: -KEY_STEP },
};
const ZOOMS: Readonly<Record<string, number>> = { "+": STEP, "=": STEP, "-": 1 / STEP };

/** Returns the viewport that shows a whole box, at most in its own size. */
export function fitting(box: Box, width: number, height: number, largest = 1): Viewport {
  const margin = 24;
  const scale = clamped(
    Math.min((width - 2 * margin) / (box.width || 1), (height - 2 * margin) / (box.height || 1), largest),
  );
  return {
    scale,
    x: width / 2 - (box.x + box.width / 2) * scale,
    y: height / 2 - (box.y + box.height / 2) * scale,
  };
}

/** Returns a viewport that is zoomed, with a point of the screen at its place. */
export function zoomed(viewport: Viewport, factor: number, { x, y }: Point): Viewport {
  const scale = clamped(viewport.scale * factor);
  const change = scale / viewport.scale;
  return { scale, x: x - (x - viewport.x) * change, y: y - (y - viewport.y) * change };
}

function clamped(scale: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, scale));
}

export interface ViewportControls {
  readonly viewport: Viewport;
  readonly show: (box: Box, largest?: number) => void;
  readonly zoom: (direction: 1 | -1) => void;
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerUp: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerCancel: (event: PointerEvent<HTMLElement>) => void;
    readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  };
}

/**
 * Keeps the viewport of an element. `whole` is what the key 0 shows.
 *
 * `onClick` gets the element that was pressed without a movement.
 */
export function useViewport(
  frame: RefObject<HTMLElement | null>,
  whole: Box,
  onClick: (target: Element) => void,
): ViewportControls {
  const [viewport, setViewport] = useState<Viewport>({ x: 0, y: 0, scale: 1 });
  const pointers = useRef(new Map<number, Point>());
  const pressed = useRef<{ readonly target: Element; moved: number } | null>(null);

  const show = useCallback(
    (box: Box, largest?: number) => {
      const { width = 0, height = 0 } = frame.current?.getBoundingClientRect() ?? {};
      setViewport(fitting(box, width, height, largest));
    },
    [frame],
  );

  const zoomAtCenter = useCallback(
    (factor: number) => {
      const { width = 0, height = 0 } = frame.current?.getBoundingClientRect() ?? {};
      setViewport((old) => zoomed(old, factor, { x: width / 2, y: height / 2 }));
    },
    [frame],
  );

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const at = pointIn(element, event);
      // A pinch on a touchpad arrives as a wheel with the key Control, in small steps.
      const speed = event.ctrlKey ? 0.01 : 0.0015;
      setViewport((old) => zoomed(old, Math.exp(-event.deltaY * speed), at));
    };
    // React listens passively, and could not keep the page from scrolling.
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [frame]);

  function onPointerDown(event: PointerEvent<HTMLElement>) {
    if (event.button !== 0) return;
    pressed.current = pointers.current.size === 0 ? { target: event.target as Element, moved: 0 } : null;
    pointers.current.set(event.pointerId, pointIn(event.currentTarget, event));
    event.currentTarget.setPointerCapture(event.pointerId);
  }

  function onPointerMove(event: PointerEvent<HTMLElement>) {
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const now = pointIn(event.currentTarget, event);
    const [other] = [...pointers.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    pointers.current.set(event.pointerId, now);
    if (pressed.current) pressed.current.moved += between(before, now);
    if (other) {
      const factor = between(now, other) / (between(before, other) || 1);
      setViewport((old) => zoomed(old, factor, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }));
    } else {
      setViewport((old) => ({ ...old, x: old.x + now.x - before.x, y: old.y + now.y - before.y }));
    }
  }

  function onPointerUp(event: PointerEvent<HTMLElement>) {
    pointers.current.delete(event.pointerId);
    const click = pressed.current;
    pressed.current = null;
    if (click && click.moved < CLICK) onClick(click.target);
  }

  function onPointerCancel(event: PointerEvent<HTMLElement>) {
    pointers.current.delete(event.pointerId);
    pressed.current = null;
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.target !== event.currentTarget || hasModifier(event)) return;
    const move = MOVES[event.key];
    const factor = ZOOMS[event.key];
    if (move) setViewport((old) => ({ ...old, x: old.x + move.x, y: old.y + move.y }));
    else if (factor) zoomAtCenter(factor);
    else if (event.key === "0") show(whole);
    else return;
    event.preventDefault();
  }

  return {
    viewport,
    show,
    zoom: (direction) => zoomAtCenter(STEP ** direction),
    handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onKeyDown },
  };
}

function hasModifier({ altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey;
}

function pointIn(element: Element, { clientX, clientY }: { clientX: number; clientY: number }): Point {
  const { left, top } = element.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

function between(from: Point, to: Point): number {
  return Math.hypot(to.x - from.x, to.y - from.y);
}
