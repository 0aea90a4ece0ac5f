// All scores: every run on every axis, with the selected runs highlighted and their differences in sentences.

import { datasetAt, datasetTabs } from "./answer";
import { SelectedRuns, selectionOf } from "./selected";
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
  "Drag on an axis to select a range, click it to clear; drag a name to move its axis.",
  "↑ higher is better, ↓ lower is better (axis reversed), · neither.",
  "A gap is a missing score; hover or click a run for the reason.",
].join(" ");
const MOST = 40; // entries of the legend
const SETS = [
  ["", "all items of the dataset"],
  ["subsets", "all items and subsets"],
  ["all", "all datasets and subsets"],
] as const;

export function scoresPage(overview: OverviewPage, data: Data, place: Place): HTMLElement {
  const selection = selectionOf(place);
  const dataset = datasetAt(overview, place);
  const within = runsOf(overview, place, selection, dataset);
  const axes = axesOf(overview, place, within);
  const by = place.get("colour", "system") as Colouring;
  const inks = inksOf(overview, by);
  const statements = statementPanel(overview, data, axes, place);
  const mode = place.get("scale", "linear") as Mode;
  const runs = new SelectedRuns(overview, axes, selection, statements, inks, mode, within);
  (window as unknown as { assayPlot: Parallel }).assayPlot = runs.plot; // so that measurements can point at axes
  const page = h("div", { class: "overview" });
  add(
    page,
    datasetTabs(overview, dataset, "scores"),
    h("h2", {}, within ? `Runs of ${dataset}` : "Runs"),
    controls(place, within !== null || place.get("sets") === "all" || !hasFilter(selection)),
    h(
      "div",
      { class: "panels" },
      facetPanel(overview, selection, (facet, values) => go(here().with({ [facet]: values }))),
      metricPanel(overview, axes, (names) => go(here().with({ axis: names }))),
    ),
    runs.status,
    runs.ranges,
    colours(overview, by, inks, runs, within),
    plotted(runs),
    data.served ? files() : null,
    runs.pinned,
    smallPlots(overview, place, dataset),
    statements.node,
    h("h2", {}, "Selected runs"),
    runs.rows,
  );
  runs.refresh();
  const focused = place.get("focus");
  if (focused) {
    requestAnimationFrame(() => page.querySelector<SVGElement>(`[data-axis="${CSS.escape(focused)}"] .title`)?.focus());
  }
  return page;
}

/** Return whether runs are selected by facet or search; these then apply to all datasets. */
function hasFilter(selection: Selection): boolean {
  return FACETS.some((facet) => selection.facets[facet]?.length) || selection.text !== "";
}

/** Return the runs to draw: by default those on all items of one dataset; null means every run. */
function runsOf(overview: OverviewPage, place: Place, selection: Selection, dataset: string): Uint8Array | null {
  const sets = place.get("sets");
  if (sets === "all" || (sets === "" && hasFilter(selection))) return null;
  const here = Uint8Array.from(overview.runs.system, (_, run) =>
    datasetOf(overview, run) === dataset && (sets === "subsets" || overview.runs.kind[run] !== "subset") ? 1 : 0,
  );
  return count(here) ? here : null;
}

/** Return the requested axes in their order, by default those a table shows and any run has a score on. */
function axesOf(overview: OverviewPage, place: Place, within: Uint8Array | null): AxisColumn[] {
  const requested = place.list("axis");
  if (requested.length) return requested.flatMap((name) => overview.axes.filter((axis) => axis.name === name));
  const used = overview.axes.filter((axis) => axis.values.some((value, run) => value !== null && within?.[run] !== 0));
  const shown = used.filter((axis) => axis.shown);
  return (shown.length ? shown : used).slice(0, 24);
}

function inksOf(overview: OverviewPage, by: Colouring): Ink[] {
  if (by === "system") return overview.runs.system.map((system) => ink(system)); // the same on every page
  const places = new Map(valuesOf(overview, by).map(([value], i) => [value, i]));
  return overview.runs.system.map((_, run) => ink(places.get(facetOf(overview, by, run)) ?? 0));
}

function controls(place: Place, sets: boolean): HTMLElement {
  const words = h("input", { type: "search", value: place.get("q"), placeholder: "system, dataset, subset" });
  words.addEventListener("change", () => go(here().with({ q: words.value })));
  const colour = (value: string) => go(here().with({ colour: value }));
  const scale = (value: string) => go(here().with({ scale: value }));
  const everything = [...FACETS, "q", "b", "axis", "colour", "scale", "focus"].map((name) => [name, null] as const);
  const runs = (value: string) => go(here().with({ sets: value }));
  return h(
    "form",
    { class: "controls", submit: (event) => event.preventDefault() },
    h("label", { class: "field" }, h("span", {}, "Search runs"), words),
    sets ? select("Runs", SETS, place.get("sets"), runs, "sets") : null,
    select("Colour by", COLOURINGS, place.get("colour", "system"), colour, "colour"),
    select("Scale", SCALES, place.get("scale", "linear"), scale, "scale"),
    button("Reset", () => go(here().with(Object.fromEntries(everything)))),
  );
}

/** Return the plot, its instructions, and the export buttons. */
function plotted(runs: SelectedRuns): HTMLElement {
  const frame = { class: "scroll plot", role: "region", "aria-label": "Parallel coordinates", tabindex: 0 };
  return h(
    "div",
    {},
    h("div", frame, runs.plot.node),
    h("p", { class: "soft" }, HOW),
    exportButtons(
      "overview",
      () => runs.plot.picture(),
      () => runs.table(),
    ),
  );
}

/** Return links to exported files, which only the server has. */
function files(): HTMLElement {
  const link = (ending: string, name: string) => h("a", { href: `api/export.${ending}` }, name);
  const links = [link("csv", "CSV"), " ", link("parquet", "Parquet"), " ", link("tex", "LaTeX")];
  return h("p", { class: "soft" }, "Export all scores: ", ...links);
}

/** Return the legend, which stays visible with the plot; pointing at a name highlights its runs. */
function colours(
  overview: OverviewPage,
  by: Colouring,
  inks: Ink[],
  runs: SelectedRuns,
  within: Uint8Array | null,
): HTMLElement {
  const first = new Map<string, Ink>();
  inks.forEach((own, run) => {
    if (within?.[run] === 0) return;
    const value = facetOf(overview, by, run);
    if (!first.has(value)) first.set(value, own);
  });
  const more = first.size > MOST ? [h("li", { class: "soft" }, `and ${plural(first.size - MOST, "more")}`)] : [];
  const pointed = (name: string | null) =>
    runs.plot.emphasise(name === null ? null : (run) => facetOf(overview, by, run) === name);
  return h("div", { class: "in-sight" }, legend([...first].slice(0, MOST), `Colours: ${by}`, more, pointed));
}
