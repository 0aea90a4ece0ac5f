// The selected runs: ranges on axes change them, and plot, table and sentences follow.

import { type Ink, ink } from "./colours";
import { h } from "./dom";
import { remember, restore } from "./focus";
import { runName, plural } from "./format";
import { runDetails, runTable, tooltip } from "./runtable";
import { Parallel } from "./parallel";
import { rangeForm } from "./ranges";
import type { Mode } from "./scales";
import { FACETS, type Range, type Selection, brushed, count, filtered } from "./selection";
import type { StatementPanel } from "./statements";
import { type Place, go, here, store } from "./state";
import type { AxisColumn, OverviewPage } from "./types";

const [WIDEST, MARGINS] = [1184, 34]; // pixels of a page, and of its margins and borders
const REST = 150; // milliseconds without a change after which the table and sentences are updated

export class SelectedRuns {
  readonly status = h("p", { role: "status", class: "status" });
  readonly ranges = h("div", { class: "brushes" });
  readonly rows = h("div", {});
  readonly pinned = h("div", {});
  readonly plot: Parallel;
  private readonly base: Uint8Array;
  private selected: Uint8Array;
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
    this.base = filtered(overview, selection);
    this.base.forEach((_, run) => within?.[run] === 0 && (this.base[run] = 0));
    this.selected = brushed(overview, this.base, selection.brushes);
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
        runs: overview.runs.system.length,
        included: this.base,
        ink: (run) => inks[run] ?? ink(0),
        brushed: (name, range) => this.brush(name, range),
        hovered: (run, x, y) => tooltip(tip, overview, axes, run, x, y),
        clicked: (run) => this.pinned.replaceChildren(...(run < 0 ? [] : [runDetails(overview, axes, run)])),
        moved: (name, to) => {
          const others = order.filter((one) => one !== name);
          others.splice(Math.max(0, Math.min(others.length, to)), 0, name);
          go(here().with({ axis: others, focus: name }));
        },
        hidden: (name) => go(here().with({ axis: order.filter((one) => one !== name), focus: null })),
      },
      Math.max(320, Math.min(document.documentElement.clientWidth, WIDEST) - MARGINS),
    );
    plot.node.append(tip);
    return plot;
  }

  /** Change a range; several changes within one frame are drawn once. */
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
    this.selected = brushed(this.overview, this.base, this.selection.brushes);
    this.plot.show(this.selected);
    const all = plural(this.selected.length, "run");
    this.status.textContent = `${count(this.selected).toLocaleString("en")} of ${all} selected`;
    // Expensive updates, and those that screen readers announce, wait for a pause.
    clearTimeout(this.resting);
    this.resting = window.setTimeout(() => this.settle(), REST);
  }

  private settle(): void {
    const { brushes } = this.selection;
    store(here().with({ b: [...brushes].map(([name, range]) => `${name}:${range.low}:${range.high}`) }));
    const kept = this.ranges.contains(document.activeElement) ? remember() : null;
    this.ranges.replaceChildren(
      rangeForm(this.axes, brushes, (name, range) => {
        this.plot.setBrush(name, range);
        this.brush(name, range);
      }),
    );
    restore(kept);
    // The button that cleared a range is gone with it.
    if (kept && document.activeElement === document.body)
      this.ranges.querySelector<HTMLElement>("select, input")?.focus();
    this.rows.replaceChildren(runTable(this.overview, this.axes, this.selected, 0));
    this.statements.show(this.selected, scopeOf(this.overview, this.selection, this.selected));
  }

  /** Return the rows of the CSV export. */
  table(): (string | number | null)[][] {
    const rows: (string | number | null)[][] = [["run", "n", ...this.axes.map((axis) => axis.name)]];
    this.selected.forEach((wanted, run) => {
      if (!wanted) return;
      const values = this.axes.map((axis) => axis.values[run] ?? null);
      rows.push([runName(this.overview, run), this.overview.runs.n[run] ?? null, ...values]);
    });
    return rows;
  }
}

/** Return the selection stored in the address. */
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

function scopeOf(overview: OverviewPage, selection: Selection, selected: Uint8Array): string {
  const parts = FACETS.filter((facet) => facet !== "system" && selection.facets[facet]?.length).map(
    (facet) => selection.facets[facet]?.map((value) => value || "(none)").join(", ") ?? "",
  );
  if (selection.text) parts.push(`runs matching “${selection.text}”`);
  if (selection.brushes.size) parts.push("runs within the ranges");
  if (parts.length) return parts.join("; ");
  return count(selected) === overview.runs.system.length ? "all runs" : "the selected runs";
}
