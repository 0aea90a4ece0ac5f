// The overview: every line against every axis, with what was chosen in bold and in words.

import { type Ink, ink } from "./colours";
import type { Data } from "./data";
import { add, button, h, select } from "./dom";
import { exportButtons } from "./exports";
import { facetPanel, metricPanel } from "./facets";
import { lineName, number, plural } from "./format";
import { lineDetails, lineTable, tooltip } from "./linetable";
import { Parallel } from "./parallel";
import type { Mode } from "./scales";
import { FACETS, type Range, type Selection, brushed, count, facetOf, meant, valuesOf } from "./selection";
import { statementPanel } from "./statements";
import { type Place, go, here, note } from "./state";
import type { AxisColumn, OverviewPage } from "./types";

export function overviewPage(overview: OverviewPage, data: Data, place: Place): HTMLElement {
  const selection = selectionOf(place);
  const axes = axesOf(overview, place);
  const base = meant(overview, selection);
  let chosen = brushed(overview, base, selection.brushes);
  const inks = inksOf(overview, place.get("colour", "system") as "system");
  const status = h("p", { role: "status", class: "status" });
  const fields = h("div", { class: "brushes" });
  const rows = h("div", {});
  const tip = h("div", { class: "tip", hidden: true });
  const pinned = h("div", {});
  const statements = statementPanel(overview, data, axes, place);

  const refresh = () => {
    chosen = brushed(overview, base, selection.brushes);
    plot.show(chosen);
    status.textContent = `${count(chosen).toLocaleString("en")} of ${plural(chosen.length, "line")} chosen`;
    settle();
  };
  // What is expensive or read aloud waits until the hand rests.
  let resting = 0;
  const settle = () => {
    clearTimeout(resting);
    resting = window.setTimeout(() => {
      note(here().with({ b: [...selection.brushes].map(([name, range]) => `${name}:${range.low}:${range.high}`) }));
      drawFields();
      rows.replaceChildren(lineTable(overview, axes, chosen, 0));
      statements.show(chosen, sayOver(overview, selection, chosen));
    }, 150);
  };
  // The hand moves more often than the screen: several moves make one drawing.
  let waiting = false;
  const setBrush = (name: string, range: Range | undefined) => {
    if (range) selection.brushes.set(name, range);
    else selection.brushes.delete(name);
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      refresh();
    });
  };
  const drawFields = () => {
    fields.replaceChildren(
      brushForm(axes, selection, (name, range) => {
        plot.setBrush(name, range);
        setBrush(name, range);
      }),
    );
  };
  const order = axes.map((axis) => axis.name);
  const plot = new Parallel(
    {
      axes,
      mode: place.get("scale", "linear") as Mode,
      brushes: selection.brushes,
      lines: overview.lines.system.length,
      ink: (line) => inks[line] as Ink,
      brushed: setBrush,
      hovered: (line, x, y) => tooltip(tip, overview, axes, line, x, y),
      clicked: (line) => pinned.replaceChildren(...(line < 0 ? [] : [lineDetails(overview, axes, line)])),
      moved: (name, to) => {
        const others = order.filter((one) => one !== name);
        others.splice(Math.max(0, Math.min(others.length, to)), 0, name);
        go(here().with({ axis: others, focus: name }));
      },
      hidden: (name) => go(here().with({ axis: order.filter((one) => one !== name), focus: null })),
    },
    Math.max(320, Math.min(document.documentElement.clientWidth, 1500) - 34),
  );
  (window as unknown as { assayPlot: Parallel }).assayPlot = plot; // so that measurements can point at axes
  plot.node.append(tip);

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
    status,
    fields,
    h("div", { class: "scroll plot", role: "region", "aria-label": "Parallel coordinates", tabindex: 0 }, plot.node),
    h(
      "p",
      { class: "soft" },
      "Drag on an axis to choose a range, click it to clear; drag a name to move its axis. ↑ higher is better, ↓ lower is better and stands up, · neither. A gap is a missing value; hover or click a line for the reason.",
    ),
    exportButtons(
      "overview",
      () => plot.picture(),
      () => tableRows(overview, axes, chosen),
    ),
    data.served
      ? h(
          "p",
          { class: "soft" },
          "All of it: ",
          h("a", { href: "api/export.csv" }, "CSV"),
          " ",
          h("a", { href: "api/export.parquet" }, "Parquet"),
          " ",
          h("a", { href: "api/export.tex" }, "LaTeX"),
        )
      : null,
    legend(overview, place, inks),
    pinned,
    statements.node,
    h("h2", {}, "Chosen lines"),
    rows,
  );
  refresh();
  const focused = place.get("focus");
  if (focused) {
    requestAnimationFrame(() => page.querySelector<SVGElement>(`[data-axis="${CSS.escape(focused)}"] .title`)?.focus());
  }
  return page;
}

function selectionOf(place: Place): Selection {
  const brushes = new Map<string, Range>();
  for (const one of place.list("b")) {
    const match = /^(.*):(-?[\d.e+-]+):(-?[\d.e+-]+)$/.exec(one);
    if (match?.[1]) brushes.set(match[1], { low: Number(match[2]), high: Number(match[3]) });
  }
  return {
    facets: Object.fromEntries(FACETS.map((facet) => [facet, place.list(facet)])),
    text: place.get("q"),
    brushes,
  };
}

/** The axes asked for in their order; without a wish those a table shows, where any line has a value. */
function axesOf(overview: OverviewPage, place: Place): AxisColumn[] {
  const asked = place.list("axis");
  if (asked.length) return asked.flatMap((name) => overview.axes.filter((axis) => axis.name === name));
  const used = overview.axes.filter((axis) => axis.values.some((value) => value !== null));
  const shown = used.filter((axis) => axis.shown);
  return (shown.length ? shown : used).slice(0, 24);
}

function inksOf(overview: OverviewPage, by: "system" | "dataset" | "language"): Ink[] {
  const places = new Map(valuesOf(overview, by).map(([value], i) => [value, i]));
  return overview.lines.system.map((_, line) => ink(places.get(facetOf(overview, by, line)) ?? 0));
}

function controls(place: Place): HTMLElement {
  const words = h("input", { type: "search", value: place.get("q"), placeholder: "system, dataset, subset" });
  words.addEventListener("change", () => go(here().with({ q: words.value })));
  return h(
    "form",
    { class: "controls", submit: (event) => event.preventDefault() },
    h("label", { class: "field" }, h("span", {}, "Search lines"), words),
    select(
      "Colour by",
      [
        ["system", "system"],
        ["dataset", "dataset"],
        ["language", "language"],
      ],
      place.get("colour", "system"),
      (value) => go(here().with({ colour: value })),
      "colour",
    ),
    select(
      "Scale",
      [
        ["linear", "linear"],
        ["log", "logarithmic"],
        ["rank", "rank"],
      ],
      place.get("scale", "linear"),
      (value) => go(here().with({ scale: value })),
      "scale",
    ),
    button("Clear everything", () =>
      go(
        here().with(
          Object.fromEntries([...FACETS, "q", "b", "axis", "colour", "scale", "focus"].map((name) => [name, null])),
        ),
      ),
    ),
  );
}

/** Brushes as numbers: to read them, to set them exactly, and to set them without a mouse. */
function brushForm(
  axes: AxisColumn[],
  selection: Selection,
  changed: (axis: string, range: Range | undefined) => void,
): HTMLElement {
  const form = h("div", { role: "group", "aria-label": "Ranges" });
  for (const [name, range] of selection.brushes) {
    const axis = axes.find((one) => one.name === name);
    const scale = axis?.scale ?? 1;
    const field = (label: string, end: "low" | "high") => {
      const input = h("input", {
        type: "number",
        step: "any",
        "aria-label": `${name} ${label}`,
        value: +(range[end] * scale).toPrecision(6),
      });
      input.addEventListener("change", () =>
        changed(name, { ...(selection.brushes.get(name) ?? range), [end]: Number(input.value) / scale }),
      );
      return input;
    };
    form.append(
      h(
        "span",
        { class: "chip" },
        h("b", {}, name),
        " from ",
        field("at least", "low"),
        " to ",
        field("at most", "high"),
        button("×", () => changed(name, undefined), { "aria-label": `clear ${name}` }),
      ),
    );
  }
  const free = axes.filter((axis) => !selection.brushes.has(axis.name));
  if (free.length) {
    form.append(
      select(
        "Add a range on",
        [["", "…"], ...free.map((axis) => [axis.name, axis.name] as const)],
        "",
        (name) => {
          const values =
            axes.find((axis) => axis.name === name)?.values.filter((value): value is number => value !== null) ?? [];
          if (values.length)
            changed(name, {
              low: values.reduce((x, y) => Math.min(x, y)),
              high: values.reduce((x, y) => Math.max(x, y)),
            });
        },
        "add-range",
      ),
    );
  }
  return form;
}

function legend(overview: OverviewPage, place: Place, inks: Ink[]): HTMLElement {
  const by = place.get("colour", "system") as "system";
  const first = new Map<string, number>();
  overview.lines.system.forEach((_, line) => {
    const value = facetOf(overview, by, line);
    if (!first.has(value)) first.set(value, line);
  });
  const entries = [...first].slice(0, 28).map(([value, line]) => {
    const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.borderTopColor = inks[line]?.hue ?? "";
    swatch.style.borderTopStyle = inks[line]?.dash ? "dashed" : "solid";
    return h("li", {}, swatch, value || "(none)");
  });
  return h("ul", { class: "legend", "aria-label": `Colours: ${by}` }, ...entries);
}

function sayOver(overview: OverviewPage, selection: Selection, chosen: Uint8Array): string {
  const parts = FACETS.filter((facet) => facet !== "system" && selection.facets[facet]?.length).map(
    (facet) => selection.facets[facet]?.map((value) => value || "(none)").join(", ") ?? "",
  );
  if (selection.text) parts.push(`sets named “${selection.text}”`);
  if (selection.brushes.size) parts.push("brushed lines");
  return parts.length
    ? parts.join("; ")
    : count(chosen) === overview.lines.system.length
      ? "all sets"
      : "the chosen lines";
}

function tableRows(overview: OverviewPage, axes: AxisColumn[], chosen: Uint8Array): (string | number | null)[][] {
  const rows: (string | number | null)[][] = [["line", "n", ...axes.map((axis) => axis.name)]];
  chosen.forEach((wanted, line) => {
    if (wanted)
      rows.push([
        lineName(overview, line),
        overview.lines.n[line] ?? null,
        ...axes.map((axis) => axis.values[line] ?? null),
      ]);
  });
  return rows;
}

export function valueWithReason(axis: AxisColumn, line: number): string {
  const value = axis.values[line];
  return value === null || value === undefined
    ? `missing: ${axis.why[line] ?? "not in the file"}`
    : number(value, axis);
}
