// Which lines are meant: the facets that were chosen, the words searched for, and the brushes on the axes.

import { datasetOf, lineName, systemOf } from "./format";
import type { Axis, Board } from "./types";

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

export function facetOf(board: Board, facet: Facet, line: number): string {
  switch (facet) {
    case "system":
      return systemOf(board, line);
    case "dataset":
      return datasetOf(board, line);
    case "task":
      return board.lines.task[line] ?? "";
    case "kind":
      return board.lines.kind[line] ?? "";
    case "language":
      return board.lines.language[line] ?? "";
  }
}

/** The values of a facet in order of first appearance, with how many lines have each. */
export function valuesOf(board: Board, facet: Facet): [string, number][] {
  const counts = new Map<string, number>();
  for (let line = 0; line < board.lines.system.length; line++) {
    const value = facetOf(board, facet, line);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts];
}

/** A plain axis keeps what it was given; brushing compares numbers as they stand on it. */
export function within(axis: Axis, line: number, range: Range): boolean {
  const value = axis.values[line];
  return value !== null && value !== undefined && value >= range.low && value <= range.high;
}

/** Lines that pass facets and search; brushes come after, because they change with every move of the hand. */
export function meant(board: Board, selection: Selection): Uint8Array {
  const passed = new Uint8Array(board.lines.system.length).fill(1);
  for (const facet of FACETS) {
    const chosen = selection.facets[facet];
    if (!chosen?.length) continue;
    const wanted = new Set(chosen);
    for (let line = 0; line < passed.length; line++) if (!wanted.has(facetOf(board, facet, line))) passed[line] = 0;
  }
  const words = selection.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length) {
    for (let line = 0; line < passed.length; line++) {
      const name = lineName(board, line).toLowerCase();
      if (passed[line] && !words.every((word) => name.includes(word))) passed[line] = 0;
    }
  }
  return passed;
}

/** Lines that pass everything. A line without a value on a brushed axis is filtered out. */
export function brushed(board: Board, base: Uint8Array, brushes: Map<string, Range>): Uint8Array {
  const passed = base.slice();
  for (const axis of board.axes) {
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
