// Points and curves of sets of items: number against number, size against number, and a number by the size of inputs.

import { extent } from "d3-array";
import { scaleLinear, scaleLog } from "d3-scale";
import { type Ink, ink } from "./colours";
import { h, s, select } from "./dom";
import { datasetOf, lineName, number, systemOf } from "./format";
import { go, here, type Place } from "./state";
import type { AxisColumn, OverviewPage } from "./types";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [560, 320, 56, 42, 12, 16];

interface Point {
  x: number;
  y: number;
  title: string;
  group: number;
}

interface Side {
  name: string;
  show(value: number): string;
  log?: boolean;
}

type Scale = (value: number) => number;

/** Axes with ticks and names; what is drawn inside is given the two scales. */
function frame(points: Point[], across: Side, up: Side, label: string): { svg: SVGSVGElement; x: Scale; y: Scale } {
  const xs = padded(points.map((point) => point.x));
  const positive = across.log && xs[0] > 0;
  const x = positive
    ? scaleLog(extent(points, (point) => point.x) as [number, number], [LEFT, WIDTH - RIGHT])
    : scaleLinear(xs, [LEFT, WIDTH - RIGHT]).nice();
  const y = scaleLinear(padded(points.map((point) => point.y)), [HEIGHT - BOTTOM, TOP]).nice();
  const svg = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "small-plot", role: "img", "aria-label": label });
  for (const tick of x.ticks(positive ? 4 : 6)) {
    const at = { class: "tick", x: x(tick), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" };
    svg.append(s("text", at, across.show(tick)));
  }
  for (const tick of y.ticks(5)) {
    svg.append(
      s("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick), "stroke-opacity": 0.25 }),
      s("text", { class: "tick", x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end" }, up.show(tick)),
    );
  }
  const middle = TOP + (HEIGHT - TOP - BOTTOM) / 2;
  svg.append(
    s("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, across.name),
    s("text", { x: 14, y: middle, transform: `rotate(-90 14 ${middle})`, "text-anchor": "middle" }, up.name),
  );
  return { svg, x: (value) => x(value), y: (value) => y(value) };
}

function padded(values: number[]): [number, number] {
  const [low = 0, high = 1] = extent(values) as [number | undefined, number | undefined];
  return low === high ? [low - Math.abs(low || 1) * 0.1, high + Math.abs(high || 1) * 0.1] : [low, high];
}

/** A dot a set of items; pointing at one names it and fades those of other systems. */
function dots(points: Point[], across: Side, up: Side): SVGSVGElement {
  const { svg, x, y } = frame(points, across, up, `${points.length} sets: ${up.name} against ${across.name}`);
  const marks = points.map((point) => {
    const { hue, dash } = ink(point.group);
    const mark = s("circle", { cx: x(point.x), cy: y(point.y), r: 5, "data-group": point.group });
    mark.style.fill = dash ? "var(--paper)" : hue; // beyond the seventh system a ring tells it from the first
    mark.style.stroke = hue;
    mark.style.strokeWidth = "2";
    mark.append(s("title", {}, point.title));
    return mark;
  });
  svg.append(...marks);
  fading(svg, marks);
  return svg;
}

/** What belongs to another system than the one under the hand or the focus steps back. */
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

/** A line a system over a number that the names of subsets hold: `table_size_79`, `length=12`. */
function curves(overview: OverviewPage, axis: AxisColumn, lines: [number, number][], key: string): SVGSVGElement {
  const points = lines.map(([line, size]) => pointOf(overview, axis, line, size));
  const across = { name: key, show: (value: number) => value.toLocaleString("en") };
  const { svg, x, y } = frame(
    points,
    across,
    sideOf(axis),
    `${axis.name} by ${key}; the table of lines has the numbers`,
  );
  const marks: SVGElement[] = [];
  for (const group of new Set(points.map((point) => point.group))) {
    const own = points.filter((point) => point.group === group).sort((a, b) => a.x - b.x);
    const { hue, dash }: Ink = ink(group);
    const path = own.map((point, i) => `${i ? "L" : "M"}${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join("");
    const line = s("path", { d: path, fill: "none", "data-group": group, "stroke-dasharray": dash || null });
    line.style.stroke = hue;
    line.style.strokeWidth = "2";
    line.append(s("title", {}, overview.systems[group] ?? ""));
    marks.push(line);
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

function sideOf(axis: AxisColumn): Side {
  return { name: axis.label, show: (value) => number(value, axis) };
}

function pointOf(overview: OverviewPage, axis: AxisColumn, line: number, x: number): Point {
  const y = axis.values[line] ?? 0;
  const title = `${lineName(overview, line)}: ${axis.name} ${number(y, axis)}`;
  return { x, y, title, group: overview.lines.system[line] ?? 0 };
}

/** The subsets of a dataset whose names end in a number, by what stands before it. */
export function sized(overview: OverviewPage, dataset: string): Map<string, [number, number][]> {
  const found = new Map<string, [number, number][]>();
  overview.lines.subset.forEach((name, line) => {
    const match = /^(.*?)[=_\s-]*(\d+(?:\.\d+)?)$/.exec(name);
    if (!match?.[1] || overview.lines.kind[line] !== "subset" || datasetOf(overview, line) !== dataset) return;
    found.set(match[1], [...(found.get(match[1]) ?? []), [line, Number(match[2])]]);
  });
  for (const [key, lines] of found) if (new Set(lines.map(([, size]) => size)).size < 3) found.delete(key);
  return found;
}

/** The small plots of a dataset, with what stands on their axes to choose. */
export function smallPlots(overview: OverviewPage, place: Place, dataset: string): HTMLElement | null {
  const on = overview.lines.system.flatMap((_, line) => (datasetOf(overview, line) === dataset ? [line] : []));
  const used = overview.axes.filter((axis) => on.filter((line) => (axis.values[line] ?? null) !== null).length > 1);
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
  const both = on.filter((line) => (first.values[line] ?? null) !== null && (second.values[line] ?? null) !== null);
  const against = both.map((line) => ({
    ...pointOf(overview, second, line, first.values[line] ?? 0),
    title: `${lineName(overview, line)}: ${first.name} ${number(first.values[line], first)}, ${second.name} ${number(second.values[line], second)}`,
  }));
  const counted = on.filter((line) => (second.values[line] ?? null) !== null && overview.lines.n[line]);
  const sizes = counted.map((line) => pointOf(overview, second, line, overview.lines.n[line] ?? 0));
  const items: Side = { name: "items in the set", show: (value) => value.toLocaleString("en"), log: true };
  const figures: HTMLElement[] = [];
  if (against.length > 1)
    figures.push(figure(`${second.name} against ${first.name}`, dots(against, sideOf(first), sideOf(second))));
  if (new Set(sizes.map((point) => point.x)).size > 1)
    figures.push(figure(`${second.name} by how many items a set has`, dots(sizes, items, sideOf(second))));
  for (const [key, lines] of sized(overview, dataset)) {
    const known = lines.filter(([line]) => (second.values[line] ?? null) !== null);
    if (known.length > 2) figures.push(figure(`${second.name} by ${key}`, curves(overview, second, known, key)));
  }
  if (!figures.length) return null;
  const controls = h(
    "form",
    { class: "controls", submit: (event) => event.preventDefault() },
    choose("Across", "x", first),
    choose("Up", "y", second),
  );
  const systems = new Set(on.map((line) => systemOf(overview, line)));
  const many = systems.size > 7 ? " Rings and dashes are systems after the seventh." : "";
  return h(
    "section",
    {},
    h("h2", {}, `Numbers of ${dataset} against each other`),
    h(
      "p",
      { class: "soft" },
      `A point is a system on the whole set or on a subset; point at one to read its name.${many}`,
    ),
    controls,
    h("div", { class: "figures" }, ...figures),
  );
}

function figure(name: string, drawing: SVGSVGElement): HTMLElement {
  return h("figure", {}, h("figcaption", {}, name), drawing);
}

/** Differences around zero, each on the scale of numbers like it: filled where told from chance. */
export function forest(
  rows: { name: string; value: number; low: number | null; high: number | null; sure: boolean; text: string }[],
  label: string,
): SVGSVGElement {
  const [tall, left, plot] = [22, 130, 320];
  const ends = rows.flatMap((row) => [row.value, row.low ?? row.value, row.high ?? row.value]);
  const x = scaleLinear(padded([0, ...ends]), [left, left + plot]).nice();
  const height = rows.length * tall + 24;
  const svg = s("svg", {
    viewBox: `0 0 ${left + plot + 170} ${height}`,
    class: "forest",
    role: "img",
    "aria-label": label,
  });
  svg.append(s("line", { x1: x(0), x2: x(0), y1: 0, y2: height - 22 }));
  for (const tick of x.ticks(5)) {
    const at = { class: "tick", x: x(tick), y: height - 6, "text-anchor": "middle" };
    svg.append(s("text", at, x.tickFormat(5)(tick)));
  }
  rows.forEach((row, i) => {
    const y = i * tall + 13;
    svg.append(s("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, row.name));
    if (row.low !== null && row.high !== null) {
      const line = s("line", { x1: x(row.low), x2: x(row.high), y1: y, y2: y });
      line.style.stroke = row.sure ? ink(0).hue : "var(--soft)";
      line.style.strokeWidth = "3";
      svg.append(line);
    }
    const dot = s("circle", { cx: x(row.value), cy: y, r: 5 });
    dot.style.fill = row.sure ? ink(0).hue : "var(--paper)";
    dot.style.stroke = row.sure ? ink(0).hue : "var(--soft)";
    dot.style.strokeWidth = "2";
    svg.append(dot, s("text", { x: left + plot + 10, y: y + 4 }, `${row.text}${row.sure ? " *" : ""}`));
  });
  return svg;
}
