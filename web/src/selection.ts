// Which lines are meant: the facets that were chosen, the words searched for, and the brushes on the axes.

import { datasetOf, lineName, systemOf } from "./format";
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

export function facetOf(overview: OverviewPage, facet: Facet, line: number): string {
  switch (facet) {
    case "system":
      return systemOf(overview, line);
    case "dataset":
      return datasetOf(overview, line);
    case "task":
      return overview.lines.task[line] ?? "";
    case "kind":
      return overview.lines.kind[line] ?? "";
    case "language":
      return overview.lines.language[line] ?? "";
  }
}

/** The values of a facet in order of first appearance, with how many lines have each. */
export function valuesOf(overview: OverviewPage, facet: Facet): [string, number][] {
  const counts = new Map<string, number>();
  for (let line = 0; line < overview.lines.system.length; line++) {
    const value = facetOf(overview, facet, line);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts];
}

/** A plain axis keeps what it was given; brushing compares numbers as they stand on it. */
export function within(axis: AxisColumn, line: number, range: Range): boolean {
  const value = axis.values[line];
  return value !== null && value !== undefined && value >= range.low && value <= range.high;
}

/** Lines that pass facets and search; brushes come after, because they change with every move of the hand. */
export function meant(overview: OverviewPage, selection: Selection): Uint8Array {
  const passed = new Uint8Array(overview.lines.system.length).fill(1);
  for (const facet of FACETS) {
    const chosen = selection.facets[facet];
    if (!chosen?.length) continue;
    const wanted = new Set(chosen);
    for (let line = 0; line < passed.length; line++) if (!wanted.has(facetOf(overview, facet, line))) passed[line] = 0;
  }
  const words = selection.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length) {
    for (let line = 0; line < passed.length; line++) {
      const name = lineName(overview, line).toLowerCase();
      if (passed[line] && !words.every((word) => name.includes(word))) passed[line] = 0;
    }
  }
  return passed;
}

/** Lines that pass everything. A line without a value on a brushed axis is filtered out. */
export function brushed(overview: OverviewPage, base: Uint8Array, brushes: Map<string, Range>): Uint8Array {
  const passed = base.slice();
  for (const axis of overview.axes) {
    const range = brushes.get(axis.name);
    if (!range) continue;
    for (let line = 0; line < passed.length; line++) if (passed[line] && !within(axis, line, range)) passed[line] = 0;
  }
  return passed;
}

export function count(passed: Uint8Array): number {
  let n = 0;
  for (const one of passed) n += one;
  return n;
}
