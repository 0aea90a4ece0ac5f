// Which runs are selected: by facets, by search words, and by ranges on the axes.

import { datasetOf, runName, systemOf } from "./format";
import type { AxisColumn, OverviewPage } from "./types";

export interface Range {
  low: number;
  high: number;
}

export const FACETS = ["task", "dataset", "system", "kind", "language"] as const;
export type Facet = (typeof FACETS)[number];

export interface Selection {
  facets: Partial<Record<Facet, string[]>>;
  text: string;
  brushes: Map<string, Range>;
}

export function facetOf(overview: OverviewPage, facet: Facet, run: number): string {
  switch (facet) {
    case "system":
      return systemOf(overview, run);
    case "dataset":
      return datasetOf(overview, run);
    case "task":
      return overview.runs.task[run] ?? "";
    case "kind":
      return overview.runs.kind[run] ?? "";
    case "language":
      return overview.runs.language[run] ?? "";
  }
}

/** Return the values of a facet in order of first appearance, with the number of runs of each. */
export function valuesOf(overview: OverviewPage, facet: Facet): [string, number][] {
  const counts = new Map<string, number>();
  for (let run = 0; run < overview.runs.system.length; run++) {
    const value = facetOf(overview, facet, run);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts];
}

/** Return whether a run's score is in a range; unscaled scores are compared. */
export function within(axis: AxisColumn, run: number, range: Range): boolean {
  const value = axis.values[run];
  return value !== null && value !== undefined && value >= range.low && value <= range.high;
}

/** Return the runs that match facets and search; ranges are applied later, because they change while dragging. */
export function filtered(overview: OverviewPage, selection: Selection): Uint8Array {
  const matching = new Uint8Array(overview.runs.system.length).fill(1);
  for (const facet of FACETS) {
    const values = selection.facets[facet];
    if (!values?.length) continue;
    const wanted = new Set(values);
    for (let run = 0; run < matching.length; run++) if (!wanted.has(facetOf(overview, facet, run))) matching[run] = 0;
  }
  const words = selection.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length) {
    for (let run = 0; run < matching.length; run++) {
      const name = runName(overview, run).toLowerCase();
      if (matching[run] && !words.every((word) => name.includes(word))) matching[run] = 0;
    }
  }
  return matching;
}

/** Return the runs that match everything. A run without a score on an axis with a range is not selected. */
export function brushed(overview: OverviewPage, base: Uint8Array, brushes: Map<string, Range>): Uint8Array {
  const matching = base.slice();
  for (const axis of overview.axes) {
    const range = brushes.get(axis.name);
    if (!range) continue;
    for (let run = 0; run < matching.length; run++) if (matching[run] && !within(axis, run, range)) matching[run] = 0;
  }
  return matching;
}

export function count(matching: Uint8Array): number {
  let n = 0;
  for (const one of matching) n += one;
  return n;
}
