// Scatter plots and curves of runs: metric and metric, metric and number of items, metric by a numeric property.

import { extent } from "d3-array";
import { scaleLinear, scaleLog } from "d3-scale";
import { type Ink, ink } from "./colours";
import { h, s, select } from "./dom";
import { datasetOf, runName, number, systemOf } from "./format";
import { go, here, type Place } from "./state";
import type { AxisColumn, OverviewPage } from "./types";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [560, 320, 56, 42, 12, 16];

interface Point {
  x: number;
  y: number;
  title: string;
  group: number;
}

interface PlotAxis {
  name: string;
  show(value: number): string;
  log?: boolean;
}

type Scale = (value: number) => number;

/** Return axes with ticks and names, and their two scales. */
function frame(
  points: Point[],
  xAxis: PlotAxis,
  yAxis: PlotAxis,
  label: string,
): { svg: SVGSVGElement; x: Scale; y: Scale } {
  const xs = padded(points.map((point) => point.x));
  const positive = xAxis.log && xs[0] > 0;
  const x = positive
    ? scaleLog(extent(points, (point) => point.x) as [number, number], [LEFT, WIDTH - RIGHT])
    : scaleLinear(xs, [LEFT, WIDTH - RIGHT]).nice();
  const y = scaleLinear(padded(points.map((point) => point.y)), [HEIGHT - BOTTOM, TOP]).nice();
  const svg = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "small-plot", role: "img", "aria-label": label });
  const round = (tick: number) => /^[125]0*$/.test(String(tick)); // all ticks of a logarithmic axis would overlap
  const ticks = positive ? x.ticks().filter(round) : x.ticks(6);
  for (const tick of ticks) {
    const at = { class: "tick", x: x(tick), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" };
    svg.append(s("text", at, xAxis.show(tick)));
  }
  for (const tick of y.ticks(5)) {
    svg.append(
      s("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick), "stroke-opacity": 0.25 }),
      s("text", { class: "tick", x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end" }, yAxis.show(tick)),
    );
  }
  const middle = TOP + (HEIGHT - TOP - BOTTOM) / 2;
  svg.append(
    s("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, xAxis.name),
    s("text", { x: 14, y: middle, transform: `rotate(-90 14 ${middle})`, "text-anchor": "middle" }, yAxis.name),
  );
  return { svg, x: (value) => x(value), y: (value) => y(value) };
}

function padded(values: number[]): [number, number] {
  const [low = 0, high = 1] = extent(values) as [number | undefined, number | undefined];
  return low === high ? [low - Math.abs(low || 1) * 0.1, high + Math.abs(high || 1) * 0.1] : [low, high];
}

/** Return one dot for each run; pointing at one shows its name and fades those of other systems. */
function dots(points: Point[], xAxis: PlotAxis, yAxis: PlotAxis): SVGSVGElement {
  const { svg, x, y } = frame(
    points,
    xAxis,
    yAxis,
    `Scatter plot of ${points.length} runs, x-axis ${xAxis.name}, y-axis ${yAxis.name}`,
  );
  const marks = points.map((point) => {
    const { hue, dash } = ink(point.group);
    const mark = s("circle", { cx: x(point.x), cy: y(point.y), r: 5, "data-group": point.group });
    mark.style.fill = dash ? "var(--paper)" : hue; // rings distinguish systems after the seventh
    mark.style.stroke = hue;
    mark.style.strokeWidth = "2";
    mark.append(s("title", {}, point.title));
    return mark;
  });
  svg.append(...marks);
  fading(svg, marks);
  return svg;
}

/** Fade marks of all systems but the one under the pointer or with the focus. */
function fading(svg: SVGSVGElement, marks: SVGElement[]): void {
  const fade = (group: string | null) => {
    for (const mark of marks) mark.style.opacity = group === null || mark.dataset["group"] === group ? "1" : "0.15";
  };
  for (const mark of marks) {
    for (const event of ["pointerenter", "focus"])
      mark.addEventListener(event, () => fade(mark.dataset["group"] ?? null));
    for (const event of ["pointerleave", "blur"]) mark.addEventListener(event, () => fade(null));
  }
  svg.addEventListener("pointerleave", () => fade(null));
}

/** Return one curve for each system over the number in names of subsets: `table_size_79`, `length=12`. */
function curves(overview: OverviewPage, axis: AxisColumn, runs: [number, number][], key: string): SVGSVGElement {
  const points = runs.map(([run, size]) => pointOf(overview, axis, run, size));
  const xAxis = { name: key, show: (value: number) => value.toLocaleString("en") };
  const { svg, x, y } = frame(
    points,
    xAxis,
    plotAxis(axis),
    `${axis.name} by ${key}; the table of runs has the scores`,
  );
  const marks: SVGElement[] = [];
  for (const group of new Set(points.map((point) => point.group))) {
    const own = points.filter((point) => point.group === group).sort((a, b) => a.x - b.x);
    const { hue, dash }: Ink = ink(group);
    const path = own.map((point, i) => `${i ? "L" : "M"}${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join("");
    const curve = s("path", { d: path, fill: "none", "data-group": group, "stroke-dasharray": dash || null });
    curve.style.stroke = hue;
    curve.style.strokeWidth = "2";
    curve.append(s("title", {}, overview.systems[group] ?? ""));
    marks.push(curve);
    for (const point of own) {
      const dot = s("circle", { cx: x(point.x), cy: y(point.y), r: 3.5, "data-group": group });
      dot.style.fill = hue;
      dot.append(s("title", {}, point.title));
      marks.push(dot);
    }
  }
  svg.append(...marks);
  fading(svg, marks);
  return svg;
}

function plotAxis(axis: AxisColumn): PlotAxis {
  return { name: axis.label, show: (value) => number(value, axis) };
}

function pointOf(overview: OverviewPage, axis: AxisColumn, run: number, x: number): Point {
  const y = axis.values[run] ?? 0;
  const title = `${runName(overview, run)}: ${axis.name} ${number(y, axis)}`;
  return { x, y, title, group: overview.runs.system[run] ?? 0 };
}

/** Return the subsets of a dataset whose names end in a number, by the name before it. */
export function numericSubsets(overview: OverviewPage, dataset: string): Map<string, [number, number][]> {
  const subsets = new Map<string, [number, number][]>();
  overview.runs.subset.forEach((name, run) => {
    const match = /^(.*?)[=_\s-]*(\d+(?:\.\d+)?)$/.exec(name);
    if (!match?.[1] || overview.runs.kind[run] !== "subset" || datasetOf(overview, run) !== dataset) return;
    subsets.set(match[1], [...(subsets.get(match[1]) ?? []), [run, Number(match[2])]]);
  });
  for (const [key, runs] of subsets) if (new Set(runs.map(([, size]) => size)).size < 3) subsets.delete(key);
  return subsets;
}

/** Return the small plots of a dataset, with selectable axes. */
export function smallPlots(overview: OverviewPage, place: Place, dataset: string): HTMLElement | null {
  const on = overview.runs.system.flatMap((_, run) => (datasetOf(overview, run) === dataset ? [run] : []));
  const used = overview.axes.filter((axis) => on.filter((run) => (axis.values[run] ?? null) !== null).length > 1);
  const axes = [...used.filter((axis) => axis.shown), ...used.filter((axis) => !axis.shown)];
  if (!axes.length) return null;
  const named = (name: string, other: number) =>
    axes.find((axis) => axis.name === place.get(name)) ??
    axes[Math.min(other, axes.length - 1)] ??
    (axes[0] as AxisColumn);
  const [first, second] = [named("x", 0), named("y", 1)];
  const options = axes.map((axis) => [axis.name, axis.name] as const);
  const choose = (label: string, name: string, axis: AxisColumn) =>
    select(label, options, axis.name, (value) => go(here().with({ [name]: value })), `plot-${name}`);
  const both = on.filter((run) => (first.values[run] ?? null) !== null && (second.values[run] ?? null) !== null);
  const against = both.map((run) => ({
    ...pointOf(overview, second, run, first.values[run] ?? 0),
    title: `${runName(overview, run)}: ${first.name} ${number(first.values[run], first)}, ${second.name} ${number(second.values[run], second)}`,
  }));
  const counted = on.filter((run) => (second.values[run] ?? null) !== null && overview.runs.n[run]);
  const sizes = counted.map((run) => pointOf(overview, second, run, overview.runs.n[run] ?? 0));
  const items: PlotAxis = { name: "number of items", show: (value) => value.toLocaleString("en"), log: true };
  const figures: HTMLElement[] = [];
  if (against.length > 1)
    figures.push(figure(`${second.name} and ${first.name}`, dots(against, plotAxis(first), plotAxis(second))));
  if (new Set(sizes.map((point) => point.x)).size > 1)
    figures.push(figure(`${second.name} by number of items`, dots(sizes, items, plotAxis(second))));
  for (const [key, runs] of numericSubsets(overview, dataset)) {
    const known = runs.filter(([run]) => (second.values[run] ?? null) !== null);
    if (known.length > 2) figures.push(figure(`${second.name} by ${key}`, curves(overview, second, known, key)));
  }
  if (!figures.length) return null;
  const controls = h(
    "form",
    { class: "controls", submit: (event) => event.preventDefault() },
    choose("x-axis", "x", first),
    choose("y-axis", "y", second),
  );
  const systems = new Set(on.map((run) => systemOf(overview, run)));
  const many = systems.size > 7 ? " Rings and dashed lines: systems after the seventh." : "";
  return h(
    "section",
    {},
    h("h2", {}, `Metrics of ${dataset} plotted against each other`),
    h("p", { class: "soft" }, `One point for each run, on all items or a subset; hover to read its name.${many}`),
    controls,
    h("div", { class: "figures" }, ...figures),
  );
}

function figure(name: string, drawing: SVGSVGElement): HTMLElement {
  return h("figure", {}, h("figcaption", {}, name), drawing);
}

export interface ForestRow {
  name: string;
  /** Printed next to the interval: the difference as in the table, not turned round. */
  text: string;
  /** Positive where the first system is better. */
  value: number;
  low: number | null;
  high: number | null;
  significant: boolean;
}

/** Return a forest plot of differences: right of zero the first system is better, filled dots are significant. */
export function forest(
  rows: ForestRow[],
  ends: [string, string],
  hues: [string, string],
  label: string,
  width: number,
): SVGSVGElement {
  const longest = Math.max(...rows.map((row) => row.name.length));
  const [tall, left, right, bottom] = [30, Math.min(width * 0.42, 24 + longest * 8.2), 190, 48];
  const roomy = width > 620; // on a phone the numbers are below the names
  const end = roomy ? width - right : width - 12;
  const values = rows.flatMap((row) => [row.value, row.low ?? row.value, row.high ?? row.value]);
  const x = scaleLinear(padded([0, ...values]), [left, end]).nice();
  const row_ = roomy ? tall : tall + 14;
  const height = rows.length * row_ + bottom;
  const svg = s("svg", { width, height, class: "forest", role: "img", "aria-label": label });
  for (const tick of x.ticks(roomy ? 6 : 3))
    svg.append(
      s("line", { class: "grid", x1: x(tick), x2: x(tick), y1: 0, y2: height - bottom + 4, "stroke-opacity": 0.25 }),
      s("text", { class: "tick", x: x(tick), y: height - bottom + 18, "text-anchor": "middle" }, x.tickFormat(6)(tick)),
    );
  svg.append(s("line", { x1: x(0), x2: x(0), y1: 0, y2: height - bottom + 4 }));
  const [less, more] = ends;
  const note = (text: string, at: number, anchor: string) =>
    svg.append(s("text", { class: "end", x: at, y: height - 8, "text-anchor": anchor }, text));
  const room = Math.floor((end - left) / 15) - 2; // letters on each side
  const cut = (text: string) => (text.length > room ? `${text.slice(0, room - 1)}…` : text);
  note(`← ${cut(less)}`, left, "start");
  note(`${cut(more)} →`, end, "end");
  rows.forEach((row, i) => {
    const y = i * row_ + 15;
    const hue = row.significant ? (row.value > 0 ? hues[0] : hues[1]) : "var(--behind)";
    const text = `${row.text}${row.significant ? " *" : ""}`;
    const group = s("g", { "data-tip": `${row.name}: ${text}` });
    group.append(s("text", { class: "row", x: left - 12, y: y + 4, "text-anchor": "end" }, row.name));
    if (row.low !== null && row.high !== null) {
      const interval = s("line", { x1: x(row.low), x2: x(row.high), y1: y, y2: y });
      interval.style.stroke = hue;
      interval.style.strokeWidth = "3";
      group.append(interval);
    }
    const dot = s("circle", { cx: x(row.value), cy: y, r: 6, "data-metric": row.name, "data-value": row.value });
    dot.style.fill = row.significant ? hue : "var(--paper)";
    dot.style.stroke = hue;
    dot.style.strokeWidth = "2";
    const printed = roomy ? { x: end + 12, y: y + 4 } : { x: left, y: y + 20 };
    svg.append(group);
    group.append(dot, s("text", { class: "value", ...printed }, text));
  });
  return svg;
}
