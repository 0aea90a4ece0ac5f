// Metrics ranked by their correlation with human judgements, headed by the answer: which follows them best.

import { scaleLinear } from "d3-scale";
import { chart } from "./chart";
import { h, s } from "./dom";
import { estimate, figure, listed } from "./format";
import type { Correlation, HumanPage, OverviewPage } from "./types";

const [ROW, TOP, BOTTOM] = [28, 8, 40];

interface Row {
  name: string;
  lower: boolean;
  /** The coefficient that ranks: within systems where there are several, otherwise over all texts. */
  main: Correlation;
  raw: Correlation | null;
}

/** Return the answer of the page; empty without correlations. */
export function correlationAnswer(overview: OverviewPage, page: HumanPage): string {
  const rows = rowsOf(overview, page);
  return rows.length ? `${answer(page, rows)}.` : "";
}

/** Return the metric that follows the judgements best, in a few words; empty without correlations. */
export function closestMetrics(overview: OverviewPage, page: HumanPage): string {
  const rows = rowsOf(overview, page);
  const first = rows[0];
  if (!first || first.main.r === null) return "";
  return `closest metric: ${first.name}, r = ${estimate(first.main.r, first.main)}${opposite(rows)}`;
}

/** Return the metric that runs against the judgements more strongly than any follows them, if there is one. */
function opposite(rows: Row[]): string {
  const [first, last] = [rows[0], rows.filter(({ main }) => main.r !== null).at(-1)];
  if (!last || last === first || typeof last.main.high !== "number" || last.main.high >= 0) return "";
  if (-(last.main.r ?? 0) <= (first?.main.r ?? 0)) return "";
  return `; strongest in the other direction: ${last.name}, r = ${estimate(last.main.r, last.main)}`;
}

/** Return the section; null without correlations. */
export function rankedCorrelations(overview: OverviewPage, page: HumanPage): HTMLElement | null {
  const rows = rowsOf(overview, page);
  if (!rows.length) return null;
  const within = rows.some((row) => row.raw !== null);
  const dot = (kind: string, text: string) =>
    h("span", {}, h("span", { class: `dot ${kind}`, "aria-hidden": "true" }), text);
  const name = within ? "r within systems" : "r";
  const key = [
    dot("best", `${name}, interval above 0`),
    dot("behind", `${name}, interval not above 0`),
    within ? dot("hollow", "r over all texts") : "",
    h("span", {}, "lines: 95 % interval, each for itself, no correction"),
  ];
  return h(
    "section",
    { class: "ranked-r" },
    h("h2", { class: "unseen" }, "Metrics ranked by correlation"),
    h(
      "p",
      { class: "soft" },
      `Pearson correlation with ${page.criterion}, ${page.n.toLocaleString("en")} judged texts` +
        `${within ? ", controlled for system" : ""}. Metrics for which lower is better are negated: further right is closer to the judgements.`,
    ),
    chart((width) => drawn(rows, page.criterion, width), {
      name: `correlation-${page.criterion}`,
      rows: () => [
        ["metric", "r", "low", "high", "r over all texts"],
        ...rows.map((row) => [row.name, row.main.r, row.main.low ?? null, row.main.high ?? null, row.raw?.r ?? null]),
      ],
      legend: h("div", { class: "legend" }, ...key),
    }),
  );
}

function rowsOf(overview: OverviewPage, page: HumanPage): Row[] {
  const rows = Object.entries(page.correlations).map(([name, both]) => {
    const lower = overview.axes.find((axis) => axis.name === name)?.better === "lower";
    const main = turned(both.partial ?? both.raw, lower);
    return { name, lower, main, raw: both.partial ? turned(both.raw, lower) : null };
  });
  return rows.sort((one, other) => (other.main.r ?? -2) - (one.main.r ?? -2));
}

/** Return the coefficient with right as "follows the judgements". */
function turned(one: Correlation, lower: boolean): Correlation {
  const minus = (value: number | null | undefined) => (value === null || value === undefined ? null : -value);
  return lower ? { ...one, r: minus(one.r), low: minus(one.high), high: minus(one.low) } : one;
}

/** Return the answer: the metric with the highest r, whether it can be told from zero, and from the others. */
function answer(page: HumanPage, rows: Row[]): string {
  const first = rows[0];
  if (!first || first.main.r === null) return `No correlation with ${page.criterion} can be computed`;
  const { low } = first.main;
  if (low === null || low === undefined || low <= 0)
    return `No metric here is shown to follow ${page.criterion}; highest: ${first.name}, r = ${estimate(first.main.r, first.main)}${opposite(rows)}`;
  const tied = rows.slice(1).filter((row) => (page.williams[first.name]?.[row.name] ?? 0) >= 0.05);
  const others = tied.length
    ? `; not significantly better than ${listed(
        tied.map((row) => row.name),
        3,
      )}`
    : "";
  return `${first.name} follows ${page.criterion} best: r = ${estimate(first.main.r, first.main)}${others}${opposite(rows)}`;
}

function drawn(rows: Row[], criterion: string, width: number): SVGSVGElement {
  const side = Math.min(190, Math.max(96, width * 0.22));
  const height = TOP + rows.length * ROW + BOTTOM;
  const ends = rows.flatMap(({ main, raw }) => [main.r, main.low, main.high, raw?.r]);
  const known = ends.filter((end): end is number => end !== null && end !== undefined);
  const x = scaleLinear([Math.min(0, ...known), Math.max(0, ...known)], [side + 10, width - 120]).nice();
  const drawing = s("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    class: "multiples",
    role: "img",
    "aria-label": `Correlation of ${rows.length} metrics with ${criterion}, highest first; the table has the same values`,
  });
  const base = TOP + rows.length * ROW;
  for (const tick of x.ticks(5))
    drawing.append(
      s("line", { class: "rule", x1: x(tick), x2: x(tick), y1: TOP, y2: base }),
      s(
        "text",
        { class: "tick", x: x(tick), y: base + 16, "text-anchor": "middle" },
        tick === 0 ? "0" : figure(tick, 1),
      ),
    );
  drawing.append(s("line", { x1: x(0), x2: x(0), y1: TOP, y2: base }));
  const most = Math.floor(side / 7.4);
  rows.forEach(({ name, lower, main, raw }, i) => {
    const y = TOP + i * ROW + ROW / 2;
    const label = name.length > most ? `${name.slice(0, most - 1)}…` : name;
    const text = main.r === null ? (main.why ?? "no value") : estimate(main.r, main);
    const tip = `${name}${lower ? " (negated)" : ""}: r = ${text}${raw ? `; over all texts ${figure(raw.r)}` : ""}`;
    const sure = main.low !== null && main.low !== undefined && main.low > 0;
    const mark = s("g", { class: `mark ${sure ? "best" : "behind"}`, "data-tip": tip });
    mark.append(s("text", { class: "row", x: side, y: y + 4, "text-anchor": "end" }, label));
    if (main.r === null) mark.append(s("text", { class: "tick", x: x(0) + 6, y: y + 4 }, "–"));
    else {
      if (typeof main.low === "number" && typeof main.high === "number")
        mark.append(s("line", { x1: x(main.low), x2: x(main.high), y1: y, y2: y }));
      if (raw && typeof raw.r === "number") {
        const hollow = s("circle", { class: "all-texts", cx: x(raw.r), cy: y, r: 4 });
        mark.append(hollow);
      }
      mark.append(s("circle", { cx: x(main.r), cy: y, r: 5.5 }));
      mark.append(s("text", { class: "value", x: width - 4, y: y + 4, "text-anchor": "end" }, text));
    }
    drawing.append(mark);
  });
  return drawing;
}
