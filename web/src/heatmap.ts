// Differences of two systems on every subset: one coloured cell for each metric.

import { pairOf, shade } from "./colours";
import { h, s } from "./dom";
import { exportButtons } from "./exports";
import { differenceOf, number, plural, subsetName } from "./format";
import type { Data } from "./data";
import { fill } from "./sections";
import { link } from "./state";
import type { AxisColumn, OverviewPage, SubsetPage } from "./types";

const [CELL, TALL, TOP, LINE] = [66, 22, 28, 13];
const [LETTER, NAME] = [6.8, 28]; // width of a letter, and letters of the name of a subset

interface Row {
  name: string;
  /** Whether there are enough items for an interval. */
  large: boolean;
  values: (number | null)[];
  intervals: ([number, number] | null)[];
  href(axis: AxisColumn): string | null;
}

const MOST = 80;
const NEITHER = "var(--behind)"; // hue of metrics without a better direction
const LONGEST = 14; // letters of a line of a heading
const FEWEST = 10; // items without which a difference has no interval

/** Return whether a subset of this size can have an interval; one whose size is unknown may. */
export function isLarge(n: number | null): boolean {
  return n === null || n >= FEWEST;
}

/** Return how many subsets are too small, in words. */
export function fewItems(subsets: number): string {
  return `${plural(subsets, "subset")} of under ${FEWEST} items`;
}

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
  const subsets = on.filter(([run]) => overview.runs.subset[run] !== "");
  if (!subsets.length) return null;
  const [large, small] = [true, false].map((wanted) =>
    subsets.filter(([run]) => isLarge(overview.runs.n[run] ?? null) === wanted),
  );
  const shown = [...(large ?? []), ...(small ?? [])].slice(0, MOST);
  return h("section", {}, h("h2", {}, "By subset"), heatmapOf(overview, data, axes, shown, a, b, dataset, true));
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
  folded = false,
): HTMLElement {
  const node = h("div", { class: "part", "data-part": "subsets" });
  const draw = (tested: Tested) => mapOf(overview, axes, subsets, a, b, dataset, tested, folded);
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

/**
 * Return a heat map: rows are subsets, columns metrics; colours are relative to the largest difference of a column on
 * subsets that can have an interval. With `folded`, the others are in a map of their own that is opened by a click.
 */
function mapOf(
  overview: OverviewPage,
  axes: AxisColumn[],
  subsets: [number, number][],
  a: string,
  b: string,
  dataset: string,
  tested: Tested,
  folded: boolean,
): HTMLElement {
  const page = typeof tested === "string" ? null : tested;
  const texts = overview.stored.includes(dataset);
  const rows = subsets.map(([x, y]) => {
    const subset = overview.runs.subset[x] ?? "";
    const where = texts && subset.includes("=") ? subset : null;
    return {
      name: `${subsetName(subset)} (${overview.runs.n[x] ?? "?"})`,
      large: isLarge(overview.runs.n[x] ?? null),
      subset,
      values: axes.map((axis) => differenceOf(axis, x, y)),
      intervals: axes.map((axis) => page?.subsets[subset]?.[axis.name] ?? null),
      href: (axis: AxisColumn) =>
        where && link("examples", { dataset, where, metric: axis.name, system: a, against: b, order: "size" }),
    };
  });
  const hues = pairOf(overview.systems, a, b);
  const label = `${a} minus ${b} by subset of ${dataset}; the CSV export has the same values`;
  const draw = (some: Row[]) => drawn(axes, some, strongest(axes, rows), hues, page !== null, label);
  const scrolled = (svg: SVGSVGElement, name: string) =>
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, svg);
  const small = folded && rows.some(({ large }) => large) ? rows.filter(({ large }) => !large) : [];
  const drawing = draw(rows.filter((row) => !small.includes(row)));
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
    scrolled(drawing, "Differences by subset"),
    small.length
      ? h(
          "details",
          { class: "small-subsets" },
          h("summary", {}, `${fewItems(small.length)}, too few for an interval`),
          scrolled(draw(small), "Differences on small subsets"),
        )
      : null,
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

/** Return the largest difference of each metric: on large subsets, if there are any: small ones vary more. */
function strongest(axes: AxisColumn[], rows: Row[]): number[] {
  const counted = rows.some(({ large }) => large) ? rows.filter(({ large }) => large) : rows;
  return axes.map((_, i) => Math.max(...counted.map((row) => Math.abs(row.values[i] ?? 0))) || 1);
}

/** Return the lines of a heading: `conversation.copies` and `conversation.repetition` differ after the point. */
function headingOf(label: string): string[] {
  const point = label.indexOf(".");
  const lines = label.length > LONGEST && point > 0 ? [label.slice(0, point), label.slice(point)] : [label];
  return lines.map((line) => (line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line));
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
  largest: number[],
  [better, worse]: [string, string],
  tested: boolean,
  label: string,
): SVGSVGElement {
  const names = rows.map(({ name }) => (name.length > NAME ? `${name.slice(0, NAME - 1)}…` : name));
  const side = 16 + Math.max(...names.map(({ length }) => length)) * LETTER;
  const headings = axes.map((axis) => headingOf(axis.label));
  const top = TOP + (Math.max(...headings.map((lines) => lines.length)) - 1) * LINE;
  const [width, height] = [side + axes.length * CELL, top + rows.length * TALL];
  const drawing = s("svg", { width, height, role: "group", "aria-label": label });
  const middle = (column: number) => side + column * CELL + CELL / 2;
  axes.forEach((axis, i) =>
    (headings[i] ?? []).forEach((line, place, lines) => {
      const fitted = line.length > 10 ? { textLength: CELL - 4, lengthAdjust: "spacingAndGlyphs" } : {};
      const at = { x: middle(i), y: top - 10 - (lines.length - 1 - place) * LINE, "text-anchor": "middle", ...fitted };
      drawing.append(s("text", at, line, s("title", {}, axis.label)));
    }),
  );
  rows.forEach((row, r) => {
    drawing.append(
      s("text", { x: side - 8, y: top + r * TALL + 15, "text-anchor": "end" }, names[r], s("title", {}, row.name)),
    );
  });
  axes.forEach((axis, i) => {
    const most = largest[i] ?? 1;
    const turn = axis.better === "lower" ? -1 : 1;
    const hue = (value: number) => (axis.better === null ? NEITHER : value * turn > 0 ? better : worse);
    rows.forEach((row, r) => {
      const value = row.values[i] ?? null;
      const box = s("rect", { x: side + i * CELL + 1, y: top + r * TALL + 1, width: CELL - 2, height: TALL - 2 });
      const ends = row.intervals[i] ?? null;
      const unsure = ends === null ? tested : ends[0] <= 0 && ends[1] >= 0;
      const share = Math.max(-1, Math.min(1, (value ?? 0) / most));
      const strength = share * (unsure ? 0.12 : 0.7);
      box.style.fill = value === null ? "transparent" : shade(strength, hue(value));
      const text = value === null ? "–" : number(value, axis, true);
      const at = { x: middle(i), y: top + r * TALL + 15, "text-anchor": "middle" };
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
