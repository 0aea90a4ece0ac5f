// The legend of a plot.

import type { Ink } from "./colours";
import { h } from "./dom";

/** Return one entry for each name; `pointed` is called with the name under the pointer or with the focus. */
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
