// Moves the focus to the heading of a page that was opened, so that screen readers say where the member is, and the
// keyboard goes on from there.

import { useEffect, useRef } from "react";

let isBack = false;
// Browsers scroll by themselves when somebody goes back.
window.addEventListener("popstate", () => {
  isBack = true;
});

/** What a member does to go on from the heading. */
const MOVES = ["keydown", "pointerdown"] as const;

/** Focuses the heading of each further page. The first one begins where browsers begin. */
export function usePageFocus(location: string): void {
  const shown = useRef(location);
  useEffect(() => {
    if (shown.current === location) return;
    shown.current = location;
    if (!isBack) window.scrollTo(0, 0);
    isBack = false;
    return holdHeading();
  }, [location]);
}

/** Focuses the heading now, and again when another one takes its place while the page loads. Returns what ends it. */
function holdHeading(): () => void {
  const main = document.getElementById("main");
  const pressed = document.activeElement;
  // A page may know better what comes first.
  if (!main || main.contains(pressed)) return () => undefined;
  let held: Element | null = null;
  const focus = () => {
    const active = document.activeElement;
    const heading = main.querySelector("h1");
    if (!heading || heading === active) return;
    if (active !== document.body && active !== pressed && active !== held) return;
    held = heading;
    heading.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(focus);
  const end = () => {
    observer.disconnect();
    for (const type of MOVES) window.removeEventListener(type, end, true);
  };
  observer.observe(main, { childList: true, subtree: true });
  for (const type of MOVES) window.addEventListener(type, end, true);
  focus();
  return end;
}
