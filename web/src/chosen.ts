// The lines that are chosen: every move of a brush chooses anew, and what is drawn and said of them follows.

import { type Ink, ink } from "./colours";
import { h } from "./dom";
import { lineName, plural } from "./format";
import { lineDetails, lineTable, tooltip } from "./linetable";
import { Parallel } from "./parallel";
import { rangeForm } from "./ranges";
import type { Mode } from "./scales";
import { FACETS, type Range, type Selection, brushed, count, meant } from "./selection";
import type { StatementPanel } from "./statements";
import { type Place, go, here, note } from "./state";
import type { AxisColumn, OverviewPage } from "./types";

const REST = 150; // milliseconds after which a hand is taken to rest

export class ChosenLines {
  readonly status = h("p", { role: "status", class: "status" });
  readonly ranges = h("div", { class: "brushes" });
  readonly rows = h("div", {});
  readonly pinned = h("div", {});
  readonly plot: Parallel;
  private readonly base: Uint8Array;
  private chosen: Uint8Array;
  private resting = 0;
  private waiting = false;

  constructor(
    private readonly overview: OverviewPage,
    private readonly axes: AxisColumn[],
    private readonly selection: Selection,
    private readonly statements: StatementPanel,
    inks: Ink[],
    mode: Mode,
    within: Uint8Array | null = null,
  ) {
    this.base = meant(overview, selection);
    this.base.forEach((_, line) => within?.[line] === 0 && (this.base[line] = 0));
    this.chosen = brushed(overview, this.base, selection.brushes);
    this.plot = this.draw(inks, mode);
  }

  private draw(inks: Ink[], mode: Mode): Parallel {
    const { overview, axes } = this;
    const tip = h("div", { class: "tip", hidden: true });
    const order = axes.map((axis) => axis.name);
    const plot = new Parallel(
      {
        axes,
        mode,
        brushes: this.selection.brushes,
        lines: overview.lines.system.length,
        meant: this.base,
        ink: (line) => inks[line] ?? ink(0),
        brushed: (name, range) => this.brush(name, range),
        hovered: (line, x, y) => tooltip(tip, overview, axes, line, x, y),
        clicked: (line) => this.pinned.replaceChildren(...(line < 0 ? [] : [lineDetails(overview, axes, line)])),
        moved: (name, to) => {
          const others = order.filter((one) => one !== name);
          others.splice(Math.max(0, Math.min(others.length, to)), 0, name);
          go(here().with({ axis: others, focus: name }));
        },
        hidden: (name) => go(here().with({ axis: order.filter((one) => one !== name), focus: null })),
      },
      Math.max(320, Math.min(document.documentElement.clientWidth, 1500) - 34),
    );
    plot.node.append(tip);
    return plot;
  }

  /** The hand moves more often than the screen: several moves make one drawing. */
  private brush(name: string, range: Range | undefined): void {
    if (range) this.selection.brushes.set(name, range);
    else this.selection.brushes.delete(name);
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.refresh();
    });
  }

  refresh(): void {
    this.chosen = brushed(this.overview, this.base, this.selection.brushes);
    this.plot.show(this.chosen);
    const all = plural(this.chosen.length, "line");
    this.status.textContent = `${count(this.chosen).toLocaleString("en")} of ${all} chosen`;
    // What is expensive or read aloud waits until the hand rests.
    clearTimeout(this.resting);
    this.resting = window.setTimeout(() => this.settle(), REST);
  }

  private settle(): void {
    const { brushes } = this.selection;
    note(here().with({ b: [...brushes].map(([name, range]) => `${name}:${range.low}:${range.high}`) }));
    this.ranges.replaceChildren(
      rangeForm(this.axes, brushes, (name, range) => {
        this.plot.setBrush(name, range);
        this.brush(name, range);
      }),
    );
    this.rows.replaceChildren(lineTable(this.overview, this.axes, this.chosen, 0));
    this.statements.show(this.chosen, sayOver(this.overview, this.selection, this.chosen));
  }

  /** As a spreadsheet reads them. */
  table(): (string | number | null)[][] {
    const rows: (string | number | null)[][] = [["line", "n", ...this.axes.map((axis) => axis.name)]];
    this.chosen.forEach((wanted, line) => {
      if (!wanted) return;
      const values = this.axes.map((axis) => axis.values[line] ?? null);
      rows.push([lineName(this.overview, line), this.overview.lines.n[line] ?? null, ...values]);
    });
    return rows;
  }
}

/** The state of the page's address as a choice of lines. */
export function selectionOf(place: Place): Selection {
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

function sayOver(overview: OverviewPage, selection: Selection, chosen: Uint8Array): string {
  const parts = FACETS.filter((facet) => facet !== "system" && selection.facets[facet]?.length).map(
    (facet) => selection.facets[facet]?.map((value) => value || "(none)").join(", ") ?? "",
  );
  if (selection.text) parts.push(`sets named “${selection.text}”`);
  if (selection.brushes.size) parts.push("brushed lines");
  if (parts.length) return parts.join("; ");
  return count(chosen) === overview.lines.system.length ? "all sets" : "the chosen lines";
}
