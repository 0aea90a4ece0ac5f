// What a colour stands for, beside a drawing.

import type { Ink } from "./colours";
import { h } from "./dom";

/** One entry a name, as its line is drawn; more may follow. `pointed` is told which name a hand or the focus is on. */
export function legend(
  entries: [string, Ink][],
  label: string,
  more: HTMLElement[] = [],
  pointed?: (name: string | null) => void,
): HTMLElement {
  const items = entries.map(([name, { hue, dash }]) => {
    const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.borderTopColor = hue;
    swatch.style.borderTopStyle = dash ? "dashed" : "solid";
    if (!pointed) return h("li", {}, swatch, name || "(none)");
    const entry = h("button", { type: "button", class: "entry" }, swatch, name || "(none)");
    for (const event of ["pointerenter", "focus"]) entry.addEventListener(event, () => pointed(name));
    for (const event of ["pointerleave", "blur"]) entry.addEventListener(event, () => pointed(null));
    return h("li", {}, entry);
  });
  return h("ul", { class: "legend", "aria-label": label }, ...items, ...more);
}
