// Ranges as number fields: to read them, to set them exactly, and to set them without a mouse.

import { button, h, select } from "./dom";
import type { Range } from "./selection";
import type { AxisColumn } from "./types";

type Changed = (axis: string, range: Range | undefined) => void;

export function rangeForm(axes: AxisColumn[], brushes: Map<string, Range>, changed: Changed): HTMLElement {
  const form = h("div", { role: "group", "aria-label": "Ranges" });
  for (const name of brushes.keys()) {
    form.append(chip(name, axes.find((axis) => axis.name === name)?.scale ?? 1, brushes, changed));
  }
  const free = axes.filter((axis) => !brushes.has(axis.name));
  if (free.length) form.append(another(free, changed));
  return form;
}

/** Return one range with a field for each end. */
function chip(name: string, scale: number, brushes: Map<string, Range>, changed: Changed): HTMLElement {
  const field = (label: string, end: "low" | "high") => {
    const range = brushes.get(name) ?? { low: 0, high: 0 };
    const value = +(range[end] * scale).toPrecision(6);
    const input = h("input", { type: "number", step: "any", "aria-label": `${name} ${label}`, value });
    input.addEventListener("change", () =>
      changed(name, { ...(brushes.get(name) ?? range), [end]: Number(input.value) / scale }),
    );
    return input;
  };
  return h(
    "span",
    { class: "chip" },
    h("b", {}, name),
    " from ",
    field("minimum", "low"),
    " to ",
    field("maximum", "high"),
    button("×", () => changed(name, undefined), { "aria-label": `Clear ${name}` }),
  );
}

/** Return the field that adds a range; a new range covers its whole axis. */
function another(free: AxisColumn[], changed: Changed): HTMLElement {
  const options = [["", "…"] as const, ...free.map((axis) => [axis.name, axis.label] as const)];
  const begin = (name: string) => {
    const axis = free.find((one) => one.name === name);
    const values = axis?.values.filter((value): value is number => value !== null) ?? [];
    if (!values.length) return;
    const low = values.reduce((x, y) => Math.min(x, y));
    changed(name, { low, high: values.reduce((x, y) => Math.max(x, y)) });
  };
  return select("Add range", options, "", begin, "add-range");
}
