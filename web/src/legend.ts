// What a colour stands for, beside a drawing.

import type { Ink } from "./colours";
import { h } from "./dom";

/** One entry a name, as its line is drawn; more may follow. */
export function legend(entries: [string, Ink][], label: string, ...more: HTMLElement[]): HTMLElement {
  const items = entries.map(([name, { hue, dash }]) => {
    const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.borderTopColor = hue;
    swatch.style.borderTopStyle = dash ? "dashed" : "solid";
    return h("li", {}, swatch, name || "(none)");
  });
  return h("ul", { class: "legend", "aria-label": label }, ...items, ...more);
}
