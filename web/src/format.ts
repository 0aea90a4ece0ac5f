// Formatting of scores: scaled, rounded, without a leading zero for values that cannot exceed one.

import type { AxisColumn, OverviewPage } from "./types";

type Shown = Pick<AxisColumn, "scale" | "digits" | "fraction">;

export function number(value: number | null | undefined, axis: Shown, signed = false): string {
  if (value === null || value === undefined) return "–";
  let text = (value * axis.scale).toFixed(axis.digits);
  if (Number(text) === 0) text = text.replace("-", "");
  if (axis.fraction && axis.digits) text = text.replace(/^(-?)0\./, "$1.");
  if (signed && !text.startsWith("-")) text = `+${text}`;
  return text.replace("-", "−");
}

export function figure(value: number | null | undefined, digits = 2): string {
  return number(value, { scale: 1, digits, fraction: true });
}

export function probability(p: number | null | undefined): string {
  if (p === null || p === undefined) return "–";
  return p >= 0.9995 ? "1" : p < 0.001 ? "<.001" : p.toFixed(3).replace(/^0/, "");
}

export function interval(
  value: number | null,
  low: number | null | undefined,
  high: number | null | undefined,
  axis: Shown,
  signed = false,
): string {
  const text = number(value, axis, signed);
  if (low === null || low === undefined || high === null || high === undefined) return text;
  return `${text} [${number(low, axis, signed)}, ${number(high, axis, signed)}]`;
}

/** Return a coefficient that cannot exceed one, with its interval, or the reason why there is none. */
export function estimate(
  value: number | null,
  about: { low?: number | null; high?: number | null; why?: string },
): string {
  if (value === null) return about.why ?? "–";
  return interval(value, about.low, about.high, { scale: 1, digits: 2, fraction: true });
}

/** Return a run's name: system, dataset and subset. */
export function runName(overview: OverviewPage, run: number): string {
  const subset = overview.runs.subset[run];
  return `${systemOf(overview, run)} · ${datasetOf(overview, run)}${subset ? ` · ${subset}` : ""}`;
}

export function systemOf(overview: OverviewPage, run: number): string {
  return overview.systems[overview.runs.system[run] ?? -1] ?? "";
}

export function datasetOf(overview: OverviewPage, run: number): string {
  return overview.datasets[overview.runs.dataset[run] ?? -1] ?? "";
}

/** Return a subset in words: its value, after the property where the value alone says nothing (size 2, formal yes). */
export function subsetName(subset: string): string {
  const [key, ...rest] = subset.split("=");
  const value = rest.join("=");
  if (!value) return subset;
  return /^([\d.,<>–-]+|yes|no|true|false|none|other|unknown|[a-z]{1,2})$/i.test(value) ? `${key} ${value}` : value;
}

export function listed(names: readonly string[], most = 6): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

export function plural(n: number, word: string): string {
  return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
}

/** Return the difference of two runs on an axis; null if either has no score. */
export function differenceOf(axis: AxisColumn, run: number, other: number): number | null {
  const [own, its] = [axis.values[run] ?? null, axis.values[other] ?? null];
  return own === null || its === null ? null : own - its;
}
