// The systems of a dataset in the order of a metric, and the sentence that names the best and those tied with it.

import { wholeRuns } from "./answer";
import { listed, plural, systemOf } from "./format";
import type { AxisColumn, OverviewPage, TablePage } from "./types";

export type Verdict = "best" | "tied" | "behind" | "";

export interface Ranking {
  dataset: string;
  /** Runs on all items, best first by the primary metric. */
  runs: number[];
  /** Metrics with a better direction, the primary one first. */
  axes: AxisColumn[];
  primary: AxisColumn | undefined;
  items: number | null;
  verdict(axis: AxisColumn, run: number): Verdict;
}

export function rankingOf(overview: OverviewPage, dataset: string, by: string, tested: TablePage | null): Ranking {
  const all = wholeRuns(overview, dataset).filter((run) => !overview.runs.subset[run]);
  const known = (axis: AxisColumn) => all.some((run) => (axis.values[run] ?? null) !== null);
  const directed = overview.axes.filter((axis) => axis.better && known(axis));
  const shown = directed.filter((axis) => axis.shown);
  const axes = shown.length ? shown : directed;
  const primary = axes.find((axis) => axis.name === by) ?? axes[0];
  const worth = (run: number) => {
    const value = primary?.values[run] ?? null;
    return value === null ? -Infinity : primary?.better === "lower" ? -value : value;
  };
  const sizes = [...new Set(all.map((run) => overview.runs.n[run] ?? null))];
  return {
    dataset,
    runs: [...all].sort((x, y) => worth(y) - worth(x)),
    axes: primary ? variedFirst([primary, ...axes.filter((axis) => axis !== primary)]) : axes,
    primary,
    items: sizes.length === 1 ? (sizes[0] ?? null) : null,
    verdict(axis, run) {
      const named = tested?.metrics.find((one) => one.name === axis.name)?.verdicts[systemOf(overview, run)];
      return named === "best" || named === "tied" || named === "behind" ? named : "";
    },
  };
}

/** Return one metric of each family first: ROUGE-1 and ROUGE-2 tell less together than ROUGE-1 and TER. */
function variedFirst(axes: AxisColumn[]): AxisColumn[] {
  const family = (axis: AxisColumn) => /^[a-z]*/i.exec(axis.name)?.[0].replace(/Lsum$|L$/, "") ?? axis.name;
  const first = axes.filter((axis, i) => axes.findIndex((one) => family(one) === family(axis)) === i);
  return [...first, ...axes.filter((axis) => !first.includes(axis))];
}

/** Return one sentence about the best systems, and one about how it was tested. */
export function headline(overview: OverviewPage, ranking: Ranking, tested: TablePage | null): [string, string] {
  const { axes, runs, dataset } = ranking;
  const items = ranking.items === null ? "" : `${plural(ranking.items, "item")}. `;
  const systems = plural(runs.length, "system");
  if (!tested || runs.length < 2) return [`${systems} on ${dataset}`, items];
  const compared = axes.filter((axis) => runs.some((run) => ranking.verdict(axis, run)));
  if (!compared.length) return [`${systems} on ${dataset}`, `${items}${tested.notes.join(" ")}`];
  const count = (run: number, verdict: Verdict) =>
    compared.filter((axis) => ranking.verdict(axis, run) === verdict).length;
  const winners = runs
    .map((run) => ({ run, best: count(run, "best"), tied: count(run, "tied") }))
    .filter(({ best }) => best)
    .sort((x, y) => y.best - x.best);
  const first = winners[0];
  if (!first) return [`${systems} on ${dataset}`, items];
  const metrics = plural(compared.length, "metric");
  const name = systemOf(overview, first.run);
  const whole = compared.length === 1 ? `on ${compared[0]?.label ?? ""}` : `on all ${metrics}`;
  const share = first.best === compared.length ? whole : `on ${first.best} of ${metrics}`;
  const others = winners.slice(1).map(({ run, best }) => `${systemOf(overview, run)} on ${best}`);
  const tied = runs
    .map((run) => ({ run, tied: count(run, "tied") }))
    .filter(({ run, tied: n }) => n && run !== first.run)
    .sort((x, y) => y.tied - x.tied);
  const tiedNames = tied.map(({ run, tied: n }) => `${systemOf(overview, run)} on ${n}`);
  const [only] = tied;
  const with_ = others.length ? "the best" : "it";
  const tiedPart = !only
    ? "; all other differences from the best are significant"
    : tied.length === 1
      ? `; ${systemOf(overview, only.run)} is statistically tied with ${with_} on ${only.tied}`
      : `; statistically tied with ${with_}: ${listed(tiedNames, 3)}`;
  const sentence = `${name} has the best score ${share}${others.length ? `, ${listed(others, 3)}` : ""}${tiedPart}.`;
  return [sentence, items];
}
