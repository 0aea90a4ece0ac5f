// One sentence per category about the differences of two systems, and the tests behind it.

import { datasetOf, differenceOf, listed, plural, systemOf } from "./format";
import type { AxisColumn, OverviewPage, ComparisonPage } from "./types";

export type Verdict = "above" | "below" | "equal" | "mixed";

export interface Finding {
  category: string;
  verdicts: Map<string, Verdict>;
}

export interface Statement {
  sentences: string[];
  basis: string;
  findings: Finding[];
}

/** Return pairs of runs of both systems on the same items. */
export function pairs(overview: OverviewPage, selected: Uint8Array, a: string, b: string): [number, number][] {
  const of = (system: string) => {
    const runs = new Map<string, number>();
    for (let run = 0; run < selected.length; run++) {
      if (selected[run] && systemOf(overview, run) === system) {
        runs.set(`${datasetOf(overview, run)}\t${overview.runs.subset[run] ?? ""}`, run);
      }
    }
    return runs;
  };
  const [ours, theirs] = [of(a), of(b)];
  const matched = [...ours].flatMap(([set, run]) =>
    theirs.has(set) ? [[run, theirs.get(set) as number] as [number, number]] : [],
  );
  // Subsets are parts of datasets: next to those they would count the same items twice.
  const wholes = matched.filter(([run]) => overview.runs.kind[run] !== "subset");
  return wholes.length ? wholes : matched;
}

/** Return half of the last digit shown: scores that differ by less count as equal. */
export function tolerance(axis: AxisColumn): number {
  return (0.5 * 10 ** -axis.digits) / axis.scale;
}

function overall(plus: number, minus: number): Verdict {
  if (!plus && !minus) return "equal";
  if (plus >= 4 * minus) return "above";
  if (minus >= 4 * plus) return "below";
  return "mixed";
}

/** Return the sign of one metric on one set: by the paired test if there is one, else by the scores. */
function sign(
  overview: OverviewPage,
  axis: AxisColumn,
  [a, b]: [number, number],
  tests: Map<string, ComparisonPage>,
): number | null {
  if (axis.signature && axis.signature[a] !== axis.signature[b]) return null; // not comparable
  const turn = axis.better === "lower" ? -1 : 1;
  const page = overview.runs.subset[a] === "" ? tests.get(datasetOf(overview, a)) : undefined;
  if (page) {
    const test = page.metrics[axis.name]; // next to tested metrics, scores alone show no significance
    if (!test || test.p_adjusted === null || test.difference === null) return null;
    return test.significant ? turn * Math.sign(test.a! - test.b!) : 0;
  }
  const [x, y] = [axis.values[a], axis.values[b]];
  if (x === null || x === undefined || y === null || y === undefined) return null;
  return Math.abs(x - y) <= tolerance(axis) ? 0 : turn * Math.sign(x - y);
}

export function compareSystems(
  overview: OverviewPage,
  axes: AxisColumn[],
  matched: [number, number][],
  tests: Map<string, ComparisonPage>,
): Finding[] {
  const findings = new Map<string, Finding>();
  for (const axis of axes) {
    if (axis.better === null) continue; // a metric without a better direction
    const signs = matched.map((pair) => sign(overview, axis, pair, tests)).filter((one): one is number => one !== null);
    if (!signs.length) continue;
    const verdict = overall(signs.filter((one) => one > 0).length, signs.filter((one) => one < 0).length);
    const finding = findings.get(axis.category) ?? { category: axis.category, verdicts: new Map<string, Verdict>() };
    finding.verdicts.set(axis.label, verdict);
    findings.set(axis.category, finding);
  }
  return [...findings.values()];
}

export function state(
  overview: OverviewPage,
  axes: AxisColumn[],
  selected: Uint8Array,
  a: string,
  b: string,
  tests: Map<string, ComparisonPage>,
  over: string,
): Statement {
  const matched = pairs(overview, selected, a, b);
  if (!matched.length) {
    return { sentences: [`${a} and ${b} have no selected set of items in common.`], basis: "", findings: [] };
  }
  const findings = compareSystems(overview, axes, matched, tests);
  const used = matched
    .filter(([run]) => overview.runs.subset[run] === "")
    .flatMap(([run]) => tests.get(datasetOf(overview, run)) ?? []);
  const tested = used.length;
  const untested = matched.length - tested;
  const caveat = !untested ? "" : tested ? "; not all differences are tested" : "; differences are not tested";
  const sentences = findings.map((finding) => `${sentence(finding, a, b, !untested)}${caveat}.`);
  const scored = axes.filter(
    (axis) => axis.better !== null && matched.some(([x, y]) => differenceOf(axis, x, y) !== null),
  );
  const left = scored.filter((axis) => used.length && used.every((test) => !test.metrics[axis.name]));
  const without = left.length ? ` Not tested: ${listed(left.map((axis) => axis.label))}.` : "";
  const parts = [];
  const procedures = [...new Set(used.map((test) => test.test))].join("; ");
  const on = (sets: number) => (matched.length > 1 ? ` on ${plural(sets, "set")}` : "");
  if (tested) parts.push(matched.length > 1 ? `tests${on(tested)} (${procedures})` : procedures);
  if (untested) parts.push(`scores without a significance test${on(untested)}`);
  const rule =
    matched.length > 1
      ? " A system counts as better on a metric if it is better on at least four times as many sets as it is worse."
      : "";
  return {
    sentences,
    basis: `${matched.length > 1 ? "Over" : "On"} ${over}: ${parts.join(" and ")}.${without}${rule}`,
    findings,
  };
}

function sentence({ category, verdicts }: Finding, a: string, b: string, tested: boolean): string {
  const total = verdicts.size;
  const names = (wanted: Verdict) => [...verdicts].filter(([, verdict]) => verdict === wanted).map(([name]) => name);
  const equal = tested ? "not significantly different" : "equal";
  const degree = tested ? "significantly " : "";
  if (names("equal").length === total) {
    return `${a} and ${b} are ${equal} on ${category} metrics (${listed(names("equal"))})`;
  }
  const clauses: string[] = [];
  for (const [verdict, word] of [
    ["above", `${degree}better than ${b}`],
    ["below", `${degree}worse than ${b}`],
    ["mixed", "better on some sets and worse on others"],
    ["equal", equal],
  ] as const) {
    const metrics = names(verdict);
    if (!metrics.length) continue;
    const amount = clauses.length ? `${metrics.length}` : `${metrics.length} of ${total} ${category} metrics`;
    clauses.push(`${word} on ${amount} (${listed(metrics)})`);
  }
  return `${a} is ${clauses.join(", ")}`;
}
