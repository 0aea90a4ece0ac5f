// How two systems differ on every subset: a coloured cell a number.

import { diverging } from "./colours";
import { h, s } from "./dom";
import { exportButtons } from "./exports";
import { apart, number, plural } from "./format";
import type { AxisColumn, OverviewPage } from "./types";

const [CELL, TALL, SIDE, TOP] = [74, 22, 230, 40];

interface Row {
  name: string;
  values: (number | null)[];
}

/** Rows are sets, columns numbers; a cell is the difference as a share of the largest of its column, and its value. */
export function heatmap(
  overview: OverviewPage,
  axes: AxisColumn[],
  on: [number, number][],
  a: string,
  b: string,
  dataset: string,
): HTMLElement | null {
  const subsets = on.filter(([line]) => overview.lines.subset[line] !== "").slice(0, 80);
  if (!subsets.length) return null;
  const rows = subsets.map(([x, y]) => ({
    name: `${overview.lines.subset[x] ?? ""} (${overview.lines.n[x] ?? "?"})`,
    values: axes.map((axis) => apart(axis, x, y)),
  }));
  const drawing = drawn(axes, rows, `${a} minus ${b} by subset of ${dataset}; the table below has the same numbers`);
  const data = [["set", ...axes.map((axis) => axis.name)], ...rows.map((row) => [row.name, ...row.values])];
  return h(
    "section",
    {},
    h("h2", {}, "By subset"),
    h(
      "p",
      { class: "soft" },
      `${a} minus ${b}; orange where ${a} is better, blue where ${b} is, ` +
        `stronger where the difference is larger within its column. ${plural(subsets.length, "set")}.`,
    ),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Differences by subset" }, drawing),
    exportButtons(
      `subsets-${dataset}`,
      () => drawing,
      () => data,
    ),
  );
}

function drawn(axes: AxisColumn[], rows: Row[], label: string): SVGSVGElement {
  const [width, height] = [SIDE + axes.length * CELL, TOP + rows.length * TALL];
  const drawing = s("svg", { width, height, role: "img", "aria-label": label });
  const middle = (column: number) => SIDE + column * CELL + CELL / 2;
  axes.forEach((axis, i) => {
    drawing.append(s("text", { x: middle(i), y: TOP - 10, "text-anchor": "middle" }, axis.label.slice(0, 11)));
  });
  rows.forEach((row, r) => {
    drawing.append(s("text", { x: SIDE - 8, y: TOP + r * TALL + 15, "text-anchor": "end" }, row.name.slice(0, 36)));
  });
  axes.forEach((axis, i) => {
    const most = Math.max(...rows.map((row) => Math.abs(row.values[i] ?? 0))) || 1;
    const turn = axis.better === "lower" ? -1 : 1;
    rows.forEach((row, r) => {
      const value = row.values[i] ?? null;
      const box = s("rect", { x: SIDE + i * CELL + 1, y: TOP + r * TALL + 1, width: CELL - 2, height: TALL - 2 });
      box.style.fill = value === null ? "transparent" : diverging((value / most) * turn * 0.7);
      const text = value === null ? "–" : number(value, axis, true);
      drawing.append(box, s("text", { x: middle(i), y: TOP + r * TALL + 15, "text-anchor": "middle" }, text));
    });
  });
  return drawing;
}
