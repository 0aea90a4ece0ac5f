// The overview: every line against every axis, with what was chosen in bold and in words.

import { answer, datasetAt, datasetTabs } from "./answer";
import { ChosenLines, selectionOf } from "./chosen";
import { type Ink, ink } from "./colours";
import type { Data } from "./data";
import { add, button, h, select } from "./dom";
import { exportButtons } from "./exports";
import { facetPanel, metricPanel } from "./facets";
import { datasetOf, plural } from "./format";
import { legend } from "./legend";
import type { Parallel } from "./parallel";
import { smallPlots } from "./plots";
import type { Mode } from "./scales";
import { FACETS, type Selection, count, facetOf, valuesOf } from "./selection";
import { statementPanel } from "./statements";
import { type Place, go, here } from "./state";
import type { AxisColumn, OverviewPage } from "./types";

type Colouring = "system" | "dataset" | "language";

const COLOURINGS = ["system", "dataset", "language"].map((name) => [name, name] as const);
const SCALES = [
  ["linear", "linear"],
  ["log", "logarithmic"],
  ["rank", "rank"],
] as const;
const HOW = [
  "Drag on an axis to choose a range, click it to clear; drag a name to move its axis.",
  "↑ higher is better, ↓ lower is better and stands up, · neither.",
  "A gap is a missing value; hover or click a line for the reason.",
].join(" ");
const MOST = 40; // entries of the legend
const SETS = [
  ["", "whole sets of the dataset"],
  ["subsets", "its subsets too"],
  ["all", "everything"],
] as const;

export function overviewPage(overview: OverviewPage, data: Data, place: Place): HTMLElement {
  const selection = selectionOf(place);
  const dataset = datasetAt(overview, place);
  const within = about(overview, place, selection, dataset);
  const axes = axesOf(overview, place, within);
  const by = place.get("colour", "system") as Colouring;
  const inks = inksOf(overview, by);
  const statements = statementPanel(overview, data, axes, place);
  const mode = place.get("scale", "linear") as Mode;
  const lines = new ChosenLines(overview, axes, selection, statements, inks, mode, within);
  (window as unknown as { assayPlot: Parallel }).assayPlot = lines.plot; // so that measurements can point at axes
  const page = h("div", { class: "overview" });
  add(
    page,
    datasetTabs(overview, dataset),
    answer(overview, data, dataset),
    h("h2", {}, within ? `Lines of ${dataset}` : "Lines"),
    controls(place, within !== null || place.get("sets") === "all" || !chose(selection)),
    h(
      "div",
      { class: "panels" },
      facetPanel(overview, selection, (facet, values) => go(here().with({ [facet]: values }))),
      metricPanel(overview, axes, (names) => go(here().with({ axis: names }))),
    ),
    lines.status,
    lines.ranges,
    colours(overview, by, inks, lines, within),
    plotted(lines),
    data.served ? files() : null,
    lines.pinned,
    smallPlots(overview, place, dataset),
    statements.node,
    h("h2", {}, "Chosen lines"),
    lines.rows,
  );
  lines.refresh();
  const focused = place.get("focus");
  if (focused) {
    requestAnimationFrame(() => page.querySelector<SVGElement>(`[data-axis="${CSS.escape(focused)}"] .title`)?.focus());
  }
  return page;
}

/** Whether a reader has said which lines: then these are meant, whatever dataset the table is about. */
function chose(selection: Selection): boolean {
  return FACETS.some((facet) => selection.facets[facet]?.length) || selection.text !== "";
}

/** Without a wish the whole sets of one dataset; null for all lines there are. */
function about(overview: OverviewPage, place: Place, selection: Selection, dataset: string): Uint8Array | null {
  const sets = place.get("sets");
  if (sets === "all" || (sets === "" && chose(selection))) return null;
  const here = Uint8Array.from(overview.lines.system, (_, line) =>
    datasetOf(overview, line) === dataset && (sets === "subsets" || overview.lines.kind[line] !== "subset") ? 1 : 0,
  );
  return count(here) ? here : null;
}

/** The axes asked for in their order; without a wish those a table shows, where any line has a value. */
function axesOf(overview: OverviewPage, place: Place, within: Uint8Array | null): AxisColumn[] {
  const asked = place.list("axis");
  if (asked.length) return asked.flatMap((name) => overview.axes.filter((axis) => axis.name === name));
  const used = overview.axes.filter((axis) =>
    axis.values.some((value, line) => value !== null && within?.[line] !== 0),
  );
  const shown = used.filter((axis) => axis.shown);
  return (shown.length ? shown : used).slice(0, 24);
}

function inksOf(overview: OverviewPage, by: Colouring): Ink[] {
  const places = new Map(valuesOf(overview, by).map(([value], i) => [value, i]));
  return overview.lines.system.map((_, line) => ink(places.get(facetOf(overview, by, line)) ?? 0));
}

function controls(place: Place, sets: boolean): HTMLElement {
  const words = h("input", { type: "search", value: place.get("q"), placeholder: "system, dataset, subset" });
  words.addEventListener("change", () => go(here().with({ q: words.value })));
  const colour = (value: string) => go(here().with({ colour: value }));
  const scale = (value: string) => go(here().with({ scale: value }));
  const everything = [...FACETS, "q", "b", "axis", "colour", "scale", "focus"].map((name) => [name, null] as const);
  const lines = (value: string) => go(here().with({ sets: value }));
  return h(
    "form",
    { class: "controls", submit: (event) => event.preventDefault() },
    h("label", { class: "field" }, h("span", {}, "Search lines"), words),
    sets ? select("Lines", SETS, place.get("sets"), lines, "sets") : null,
    select("Colour by", COLOURINGS, place.get("colour", "system"), colour, "colour"),
    select("Scale", SCALES, place.get("scale", "linear"), scale, "scale"),
    button("Clear everything", () => go(here().with(Object.fromEntries(everything)))),
  );
}

/** The drawing, how to use it, and how to take it away. */
function plotted(lines: ChosenLines): HTMLElement {
  const frame = { class: "scroll plot", role: "region", "aria-label": "Parallel coordinates", tabindex: 0 };
  return h(
    "div",
    {},
    h("div", frame, lines.plot.node),
    h("p", { class: "soft" }, HOW),
    exportButtons(
      "overview",
      () => lines.plot.picture(),
      () => lines.table(),
    ),
  );
}

/** Everything as files, which only a server can send. */
function files(): HTMLElement {
  const link = (ending: string, name: string) => h("a", { href: `api/export.${ending}` }, name);
  const links = [link("csv", "CSV"), " ", link("parquet", "Parquet"), " ", link("tex", "LaTeX")];
  return h("p", { class: "soft" }, "All of it: ", ...links);
}

/** Always in sight while the plot is: pointing at a name brings its lines forward. */
function colours(
  overview: OverviewPage,
  by: Colouring,
  inks: Ink[],
  lines: ChosenLines,
  within: Uint8Array | null,
): HTMLElement {
  const first = new Map<string, Ink>();
  inks.forEach((own, line) => {
    if (within?.[line] === 0) return;
    const value = facetOf(overview, by, line);
    if (!first.has(value)) first.set(value, own);
  });
  const more = first.size > MOST ? [h("li", { class: "soft" }, `and ${plural(first.size - MOST, "more")}`)] : [];
  const pointed = (name: string | null) =>
    lines.plot.emphasise(name === null ? null : (line) => facetOf(overview, by, line) === name);
  return h("div", { class: "in-sight" }, legend([...first].slice(0, MOST), `Colours: ${by}`, more, pointed));
}
