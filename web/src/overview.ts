// The overview: every line against every axis, with what was chosen in bold and in words.

import { ChosenLines, selectionOf } from "./chosen";
import { type Ink, ink } from "./colours";
import type { Data } from "./data";
import { add, button, h, select } from "./dom";
import { exportButtons } from "./exports";
import { facetPanel, metricPanel } from "./facets";
import { legend } from "./legend";
import type { Parallel } from "./parallel";
import type { Mode } from "./scales";
import { FACETS, facetOf, valuesOf } from "./selection";
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
const MOST = 28; // entries of the legend

export function overviewPage(overview: OverviewPage, data: Data, place: Place): HTMLElement {
  const selection = selectionOf(place);
  const axes = axesOf(overview, place);
  const by = place.get("colour", "system") as Colouring;
  const inks = inksOf(overview, by);
  const statements = statementPanel(overview, data, axes, place);
  const lines = new ChosenLines(overview, axes, selection, statements, inks, place.get("scale", "linear") as Mode);
  (window as unknown as { assayPlot: Parallel }).assayPlot = lines.plot; // so that measurements can point at axes
  const page = h("div", { class: "overview" });
  add(
    page,
    controls(place),
    h(
      "div",
      { class: "panels" },
      facetPanel(overview, selection, (facet, values) => go(here().with({ [facet]: values }))),
      metricPanel(overview, axes, (names) => go(here().with({ axis: names }))),
    ),
    h("h2", {}, "Lines"),
    lines.status,
    lines.ranges,
    plotted(lines),
    data.served ? files() : null,
    colours(overview, by, inks),
    lines.pinned,
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

/** The axes asked for in their order; without a wish those a table shows, where any line has a value. */
function axesOf(overview: OverviewPage, place: Place): AxisColumn[] {
  const asked = place.list("axis");
  if (asked.length) return asked.flatMap((name) => overview.axes.filter((axis) => axis.name === name));
  const used = overview.axes.filter((axis) => axis.values.some((value) => value !== null));
  const shown = used.filter((axis) => axis.shown);
  return (shown.length ? shown : used).slice(0, 24);
}

function inksOf(overview: OverviewPage, by: Colouring): Ink[] {
  const places = new Map(valuesOf(overview, by).map(([value], i) => [value, i]));
  return overview.lines.system.map((_, line) => ink(places.get(facetOf(overview, by, line)) ?? 0));
}

function controls(place: Place): HTMLElement {
  const words = h("input", { type: "search", value: place.get("q"), placeholder: "system, dataset, subset" });
  words.addEventListener("change", () => go(here().with({ q: words.value })));
  const colour = (value: string) => go(here().with({ colour: value }));
  const scale = (value: string) => go(here().with({ scale: value }));
  const everything = [...FACETS, "q", "b", "axis", "colour", "scale", "focus"].map((name) => [name, null] as const);
  return h(
    "form",
    { class: "controls", submit: (event) => event.preventDefault() },
    h("label", { class: "field" }, h("span", {}, "Search lines"), words),
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

function colours(overview: OverviewPage, by: Colouring, inks: Ink[]): HTMLElement {
  const first = new Map<string, Ink>();
  inks.forEach((own, line) => {
    const value = facetOf(overview, by, line);
    if (!first.has(value)) first.set(value, own);
  });
  return legend([...first].slice(0, MOST), `Colours: ${by}`);
}
