// Differences of two systems on every subset: one coloured cell for each metric.

import { pairOf, shade } from "./colours";
import { h, s } from "./dom";
import { exportButtons } from "./exports";
import { differenceOf, number, subsetName } from "./format";
import type { Data } from "./data";
import { fill } from "./sections";
import { link } from "./state";
import type { AxisColumn, OverviewPage, SubsetPage } from "./types";

const [CELL, TALL, SIDE, TOP] = [66, 22, 170, 28];

interface Row {
  name: string;
  values: (number | null)[];
  intervals: ([number, number] | null)[];
  href(axis: AxisColumn): string | null;
}

const MOST = 80;
const NEITHER = "var(--behind)"; // hue of metrics without a better direction
const LONGEST = 14; // letters of a heading

/** Return the section of a comparison: all subsets. */
export function heatmap(
  overview: OverviewPage,
  data: Data,
  axes: AxisColumn[],
  on: [number, number][],
  a: string,
  b: string,
  dataset: string,
): HTMLElement | null {
  const subsets = on.filter(([run]) => overview.runs.subset[run] !== "").slice(0, MOST);
  if (!subsets.length) return null;
  return h("section", {}, h("h2", {}, "By subset"), heatmapOf(overview, data, axes, subsets, a, b, dataset));
}

/** Intervals of the differences: computed, being computed, failed, or impossible without the scores of items. */
type Tested = SubsetPage | "pending" | "failed" | "none";

/** Return the heat map at once, and again with its intervals when they are computed. */
export function heatmapOf(
  overview: OverviewPage,
  data: Data,
  axes: AxisColumn[],
  subsets: [number, number][],
  a: string,
  b: string,
  dataset: string,
): HTMLElement {
  const node = h("div", { class: "part", "data-part": "subsets" });
  const draw = (tested: Tested) => mapOf(overview, axes, subsets, a, b, dataset, tested);
  const stored = overview.stored.includes(dataset);
  node.append(draw(stored ? "pending" : "none"));
  if (stored)
    fill(
      node,
      data.subsets(dataset, a, b).catch((): Tested => "failed"),
      draw,
    );
  return node;
}

/** Return a heat map: rows are subsets, columns metrics; colours are relative to the largest difference of a column. */
function mapOf(
  overview: OverviewPage,
  axes: AxisColumn[],
  subsets: [number, number][],
  a: string,
  b: string,
  dataset: string,
  tested: Tested,
): HTMLElement {
  const page = typeof tested === "string" ? null : tested;
  const texts = overview.stored.includes(dataset);
  const rows = subsets.map(([x, y]) => {
    const subset = overview.runs.subset[x] ?? "";
    const where = texts && subset.includes("=") ? subset : null;
    return {
      name: `${subsetName(subset)} (${overview.runs.n[x] ?? "?"})`,
      subset,
      values: axes.map((axis) => differenceOf(axis, x, y)),
      intervals: axes.map((axis) => page?.subsets[subset]?.[axis.name] ?? null),
      href: (axis: AxisColumn) =>
        where && link("examples", { dataset, where, metric: axis.name, system: a, against: b, order: "size" }),
    };
  });
  const hues = pairOf(overview.systems, a, b);
  const drawing = drawn(
    axes,
    rows,
    hues,
    page !== null,
    `${a} minus ${b} by subset of ${dataset}; the CSV export has the same values`,
  );
  const table = [
    ["subset", ...axes.flatMap(({ name }) => [name, `${name}.low`, `${name}.high`])],
    ...rows.map((row) => [
      row.subset,
      ...row.values.flatMap((value, i) => [value, row.intervals[i]?.[0] ?? null, row.intervals[i]?.[1] ?? null]),
    ]),
  ];
  return h(
    "div",
    { class: "heat" },
    h(
      "p",
      { class: "soft" },
      swatch(hues[0]),
      `${a} better `,
      swatch(hues[1]),
      `${b} better`,
      ...(axes.some(({ better }) => better === null)
        ? [" ", swatch(NEITHER), "differs, neither direction is better"]
        : []),
      ".",
      ` ${certainty(rows, tested)}`,
      texts ? " A cell opens its texts." : "",
    ),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Differences by subset" }, drawing),
    exportButtons(
      `subsets-${dataset}`,
      () => drawing,
      () => table,
    ),
  );
}

/** Return what faint cells mean, or why there are none. */
function certainty(rows: Row[], tested: Tested): string {
  if (tested === "pending") return "Intervals are being computed…";
  if (tested === "failed") return "The intervals could not be computed: differences are not tested.";
  if (tested === "none") return "No intervals: differences are not tested.";
  const intervals = rows.flatMap((row) => row.intervals.filter((_, i) => row.values[i] !== null));
  if (!intervals.some((one) => one !== null)) return "Faint: no interval, not tested.";
  const few = intervals.includes(null) ? ", or there is no interval" : "";
  return `Faint: the 95 % interval contains 0 (each cell for itself, no correction)${few}.`;
}

function swatch(hue: string): HTMLElement {
  const box = h("span", { class: "square", "aria-hidden": "true" });
  box.style.background = hue;
  return box;
}

/** Return the drawing; with `tested`, a cell without an interval is as faint as one whose interval contains 0. */
function drawn(
  axes: AxisColumn[],
  rows: Row[],
  [better, worse]: [string, string],
  tested: boolean,
  label: string,
): SVGSVGElement {
  const [width, height] = [SIDE + axes.length * CELL, TOP + rows.length * TALL];
  const drawing = s("svg", { width, height, role: "group", "aria-label": label });
  const middle = (column: number) => SIDE + column * CELL + CELL / 2;
  axes.forEach((axis, i) => {
    const name = axis.label.length > LONGEST ? `${axis.label.slice(0, LONGEST - 1)}…` : axis.label;
    const fitted = name.length > 10 ? { textLength: CELL - 4, lengthAdjust: "spacingAndGlyphs" } : {};
    const at = { x: middle(i), y: TOP - 10, "text-anchor": "middle", ...fitted };
    drawing.append(s("text", at, name, s("title", {}, axis.label)));
  });
  rows.forEach((row, r) => {
    drawing.append(s("text", { x: SIDE - 8, y: TOP + r * TALL + 15, "text-anchor": "end" }, row.name.slice(0, 28)));
  });
  axes.forEach((axis, i) => {
    const most = Math.max(...rows.map((row) => Math.abs(row.values[i] ?? 0))) || 1;
    const turn = axis.better === "lower" ? -1 : 1;
    const hue = (value: number) => (axis.better === null ? NEITHER : value * turn > 0 ? better : worse);
    rows.forEach((row, r) => {
      const value = row.values[i] ?? null;
      const box = s("rect", { x: SIDE + i * CELL + 1, y: TOP + r * TALL + 1, width: CELL - 2, height: TALL - 2 });
      const ends = row.intervals[i] ?? null;
      const unsure = ends === null ? tested : ends[0] <= 0 && ends[1] >= 0;
      const strength = value === null ? 0 : (value / most) * (unsure ? 0.12 : 0.7);
      box.style.fill = value === null ? "transparent" : shade(strength, hue(value));
      const text = value === null ? "–" : number(value, axis, true);
      const at = { x: middle(i), y: TOP + r * TALL + 15, "text-anchor": "middle" };
      const words = s("text", { ...at, class: unsure ? "unsure" : null }, text);
      const href = value === null ? null : row.href(axis);
      const interval = ends ? ` [${number(ends[0], axis, true)}, ${number(ends[1], axis, true)}]` : "";
      const label = `${row.name}, ${axis.label} ${text}${interval}: open its texts`;
      box.append(s("title", {}, `${row.name}, ${axis.label}: ${text}${interval}`));
      drawing.append(...(href ? [s("a", { href, "aria-label": label }, box, words)] : [box, words]));
    });
  });
  return drawing;
}
