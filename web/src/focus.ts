// Redrawing a page keeps the focus on the control that was used, and that control where it was on the screen.

interface Kept {
  key: string;
  nth: number;
  top: number;
  caret: number | null;
}

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

/** Return what identifies a control in two drawings of a page. */
function keyOf(element: Element): string {
  if (element.id) return element.id;
  const label = element.getAttribute("aria-label") ?? element.closest("label")?.textContent ?? element.textContent;
  return `${element.tagName} ${label ?? ""}`;
}

function alike(key: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((element) => keyOf(element) === key);
}

/** Return the control with the focus; null if nothing has it. */
export function remember(): Kept | null {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body || element.id === "main") return null;
  const key = keyOf(element);
  const caret = element instanceof HTMLInputElement && element.type === "search" ? element.selectionEnd : null;
  return { key, nth: Math.max(0, alike(key).indexOf(element)), top: element.getBoundingClientRect().top, caret };
}

/** Give the focus back, unless the reader has moved it since. */
export function restore(kept: Kept | null): void {
  if (!kept || (document.activeElement && document.activeElement !== document.body)) return;
  const same = alike(kept.key);
  const element = same[kept.nth] ?? same[0];
  if (!element) return;
  element.focus({ preventScroll: true });
  if (kept.caret !== null && element instanceof HTMLInputElement) element.setSelectionRange(kept.caret, kept.caret);
  scrollBy(0, element.getBoundingClientRect().top - kept.top);
}
