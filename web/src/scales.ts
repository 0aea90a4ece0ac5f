// Positions of scores on an axis: 0 is the bottom and 1 the top; the better direction is always up.

import { extent } from "d3-array";
import { scaleLinear, scaleLog } from "d3-scale";
import type { AxisColumn } from "./types";

export type Mode = "linear" | "log" | "rank";

export interface AxisScale {
  low: number;
  high: number;
  /** Whether low scores are at the top. */
  flipped: boolean;
  /** Why another scale than the requested one is drawn; empty otherwise. */
  note: string;
  at(value: number): number;
  value(place: number): number;
  ticks(): number[];
}

/** Return the scale over the included runs, or over all if none of them has a score. */
export function scaleOf(axis: AxisColumn, mode: Mode, included?: Uint8Array): AxisScale {
  const all = axis.values.filter((value): value is number => value !== null);
  const here = axis.values.filter((value, run): value is number => value !== null && included?.[run] !== 0);
  const known = here.length ? here : all;
  const [low = 0, high = 0] = extent(known) as [number | undefined, number | undefined];
  const flipped = axis.better === "lower";
  const turn = (place: number) => (flipped ? 1 - place : place);
  const base = { low, high, flipped, note: "" };
  if (low === high) {
    return { ...base, at: () => 0.5, value: () => low, ticks: () => [low] }; // a constant axis is still drawn
  }
  if (mode === "rank") {
    const sorted = Float64Array.from(known).sort();
    const last = sorted.length - 1;
    return {
      ...base,
      at: (value) => turn(midRank(sorted, value) / last),
      value: (place) => sorted[Math.round(Math.min(1, Math.max(0, turn(place))) * last)] ?? low,
      ticks: () => [low, sorted[Math.round(last / 2)] ?? low, high],
    };
  }
  const positive = low > 0;
  const scale = mode === "log" && positive ? scaleLog([low, high], [0, 1]) : scaleLinear([low, high], [0, 1]);
  return {
    ...base,
    note: mode === "log" && !positive ? "linear, because it has values of 0 or below" : "",
    at: (value) => turn(scale(value)),
    value: (place) => ending(turn(place), low, high) ?? scale.invert(turn(place)),
    ticks: () => scale.ticks(5),
  };
}

/** Return exact end points: a rounded one would exclude the outermost run from its own range. */
function ending(place: number, low: number, high: number): number | null {
  return place <= 0 ? low : place >= 1 ? high : null;
}

/** Return the mean rank of tied scores. */
function midRank(sorted: Float64Array, value: number): number {
  const first = bisect(sorted, value, false);
  const after = bisect(sorted, value, true);
  return after > first ? (first + after - 1) / 2 : first;
}

function bisect(sorted: Float64Array, value: number, right: boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const there = sorted[middle] as number;
    if (there < value || (right && there === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
