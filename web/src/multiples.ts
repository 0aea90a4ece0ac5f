// Small multiples: systems as rows, one panel a metric, a dot and its interval for each, the tied group shaded.

import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { ink } from "./colours";
import { s } from "./dom";
import { interval, number, systemOf } from "./format";
import type { Ranking } from "./ranking";
import type { AxisColumn, OverviewPage } from "./types";

const [ROW, HEAD, PANEL, GAP] = [30, 40, 190, 14];
const LETTER = 7.2; // width of a letter of a name
const NARROW = 520; // where the panels are below each other
const WORDS = { best: "best", tied: "not significantly different from the best", behind: "behind the best", "": "" };

/** Return the drawing: as many panels next to each other as fit the width. */
export function multiples(overview: OverviewPage, ranking: Ranking, axes: AxisColumn[], width: number): SVGSVGElement {
  const longest = Math.max(...ranking.runs.map((run) => systemOf(overview, run).length));
  const side = Math.min(24 + longest * LETTER, width < NARROW ? width * 0.45 : Math.max(210, width * 0.23));
  const across = Math.max(1, Math.min(axes.length, Math.floor((width - side + GAP) / (PANEL + GAP))));
  const wide = (width - side - GAP * (across - 1)) / across;
  const tall = HEAD + ranking.runs.length * ROW + 12;
  const lines = Math.ceil(axes.length / across);
  const svg = s("svg", {
    width,
    height: lines * tall,
    viewBox: `0 0 ${width} ${lines * tall}`,
    class: "multiples",
    role: "img",
    "aria-label": `Scores of ${ranking.runs.length} systems on ${axes.length} metrics with 95 % confidence intervals; the table has the same values`,
  });
  for (let line = 0; line < lines; line++) {
    labels(svg, overview, ranking, line * tall, side);
    axes.slice(line * across, (line + 1) * across).forEach((axis, place) => {
      panel(svg, overview, ranking, axis, side + place * (wide + GAP), line * tall, wide);
    });
  }
  return svg;
}

function labels(svg: SVGSVGElement, overview: OverviewPage, ranking: Ranking, top: number, side: number): void {
  ranking.runs.forEach((run, i) => {
    const y = top + HEAD + i * ROW + ROW / 2;
    const box = s("rect", { x: 0, y: y - 5, width: 10, height: 10, rx: 2 });
    box.style.fill = ink(overview.runs.system[run] ?? 0).hue;
    const name = systemOf(overview, run);
    const most = Math.round((side - 24) / LETTER);
    const label = s(
      "text",
      { class: "row", x: 18, y: y + 4 },
      name.length > most ? `${name.slice(0, most - 1)}…` : name,
    );
    label.append(s("title", {}, name));
    svg.append(box, label);
  });
}

function panel(
  svg: SVGSVGElement,
  overview: OverviewPage,
  ranking: Ranking,
  axis: AxisColumn,
  left: number,
  top: number,
  wide: number,
): void {
  const flipped = axis.better === "lower";
  const ends = ranking.runs.flatMap((run) => [axis.values[run], axis.low?.[run], axis.high?.[run]]);
  const known = ends.filter((end): end is number => end !== null && end !== undefined);
  const [low = 0, high = 1] = extent(known) as [number | undefined, number | undefined];
  const pad = (high - low || Math.abs(high) || 1) * 0.04;
  const range = [left + 48, left + wide - 14];
  const x = scaleLinear([low - pad, high + pad], flipped ? range.reverse() : range);
  const title = s("text", { class: "metric", x: left + wide / 2, y: top + 16, "text-anchor": "middle" });
  title.append(axis.labels[ranking.dataset] ?? axis.label);
  svg.append(title);
  if (flipped)
    svg.append(
      s(
        "text",
        { class: "tick", x: left + wide / 2, y: top + 31, "text-anchor": "middle" },
        "lower is better, axis flipped",
      ),
    );
  shadeTied(svg, ranking, axis, x, top);
  ranking.runs.forEach((run, i) => {
    const y = top + HEAD + i * ROW + ROW / 2;
    svg.append(s("line", { class: "rule", x1: left, x2: left + wide, y1: y + ROW / 2, y2: y + ROW / 2 }));
    const value = axis.values[run] ?? null;
    if (value === null) {
      svg.append(s("text", { class: "tick", x: left + wide / 2, y: y + 4, "text-anchor": "middle" }, "–"));
      return;
    }
    svg.append(mark(overview, ranking, axis, run, x, y, left));
  });
}

/** Shade from the worst to the best end of the intervals of the best system and those tied with it. */
function shadeTied(
  svg: SVGSVGElement,
  ranking: Ranking,
  axis: AxisColumn,
  x: (value: number) => number,
  top: number,
): void {
  const group = ranking.runs.filter((run) => ["best", "tied"].includes(ranking.verdict(axis, run)));
  const best = group.find((run) => ranking.verdict(axis, run) === "best");
  if (best === undefined) return;
  const ends = group.flatMap((run) => [axis.values[run] ?? 0]);
  ends.push(axis.low?.[best] ?? axis.values[best] ?? 0, axis.high?.[best] ?? axis.values[best] ?? 0);
  const [from, to] = (extent(ends.map((end) => x(end))) as [number, number]).map((end, i) => end + (i ? 3 : -3));
  svg.append(
    s("rect", {
      class: "tied",
      x: from ?? 0,
      y: top + HEAD,
      width: (to ?? 0) - (from ?? 0),
      height: ranking.runs.length * ROW,
      rx: 3,
    }),
  );
}

function mark(
  overview: OverviewPage,
  ranking: Ranking,
  axis: AxisColumn,
  run: number,
  x: (value: number) => number,
  y: number,
  left: number,
): SVGGElement {
  const value = axis.values[run] ?? 0;
  const [low, high] = [axis.low?.[run] ?? null, axis.high?.[run] ?? null];
  const verdict = ranking.verdict(axis, run);
  const name = systemOf(overview, run);
  const tip = `${name} · ${axis.label} ${interval(value, low, high, axis)}${verdict ? ` · ${WORDS[verdict]}` : ""}`;
  const group = s("g", { class: `mark ${verdict || "untested"}`, "data-tip": tip, "data-system": name });
  const ends = low === null || high === null ? [x(value), x(value)] : [x(low), x(high)];
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  if (from < to) group.append(s("line", { x1: from, x2: to, y1: y, y2: y }));
  group.append(s("circle", { cx: x(value), cy: y, r: 5.5 }));
  const before = Math.min(from, x(value) - 5.5) - 6;
  const fits = before - 28 > left;
  group.append(
    s(
      "text",
      {
        class: "value",
        x: fits ? before : Math.max(to, x(value) + 5.5) + 6,
        y: y + 4,
        "text-anchor": fits ? "end" : "start",
      },
      number(value, axis),
    ),
  );
  return group;
}
