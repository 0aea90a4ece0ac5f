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
  /** Sizes of the runs: the smallest and the largest; null if unknown. */
  items: [number, number] | null;
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
  const sizes = all.flatMap((run) => overview.runs.n[run] ?? []);
  return {
    dataset,
    runs: [...all].sort((x, y) => worth(y) - worth(x)),
    axes: primary ? variedFirst([primary, ...axes.filter((axis) => axis !== primary)]) : axes,
    primary,
    items: sizes.length ? [Math.min(...sizes), Math.max(...sizes)] : null,
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
  const items = itemsOf(ranking, tested);
  const systems = plural(runs.length, "system");
  if (!tested || runs.length < 2) return [`${systems} on ${dataset}`, items];
  const label = ([only, ...more]: AxisColumn[]) => (only && !more.length ? (only.labels[dataset] ?? only.label) : null);
  const decided = axes.filter((axis) => runs.some((run) => ranking.verdict(axis, run)));
  const equal = decided.filter((axis) => runs.every((run) => ranking.verdict(axis, run) === "best"));
  const compared = decided.filter((axis) => !equal.includes(axis));
  if (!compared.length && equal.length)
    return [`All ${systems} have equal scores on ${label(equal) ?? `all ${plural(equal.length, "metric")}`}.`, items];
  if (!compared.length) return [`${systems} on ${dataset}`, `${items}${tested.notes.join(" ")}`];
  const count = (run: number, verdict: Verdict) =>
    compared.filter((axis) => ranking.verdict(axis, run) === verdict).length;
  const winners = runs
    .map((run) => ({ run, best: count(run, "best"), tied: count(run, "tied") }))
    .filter(({ best }) => best)
    .sort((x, y) => y.best - x.best);
  const first = winners[0];
  if (!first) return [`${systems} on ${dataset}`, items];
  const [metrics, single] = [plural(compared.length, "metric"), compared.length === 1];
  const name = systemOf(overview, first.run);
  const whole = `on ${label(compared) ?? (compared.length === 2 ? "both metrics" : `all ${metrics}`)}`;
  const share = first.best === compared.length ? whole : `on ${first.best} of ${metrics}`;
  const counted = (run: number, n: number) => `${systemOf(overview, run)}${single ? "" : ` on ${n}`}`;
  const others = winners.slice(1).map(({ run, best }) => counted(run, best));
  const tied = runs
    .map((run) => ({ run, tied: count(run, "tied") }))
    .filter(({ run, tied: n }) => n && run !== first.run)
    .sort((x, y) => y.tied - x.tied);
  const tiedNames = tied.map(({ run, tied: n }) => counted(run, n));
  const [only] = tied;
  const tiedOn = (run: number) => {
    const on = compared.filter((axis) => ranking.verdict(axis, run) === "tied");
    return single ? "" : ` on ${label(on) ?? on.length}`;
  };
  const with_ = others.length ? "the best" : "it";
  const tiedPart = !only
    ? "; all other differences from the best are significant"
    : tied.length === 1
      ? `; ${systemOf(overview, only.run)} is statistically tied with ${with_}${tiedOn(only.run)}`
      : `; statistically tied with ${with_}: ${listed(tiedNames, 3)}`;
  const same = equal.length ? ` All have equal scores on ${label(equal) ?? `${equal.length} more metrics`}.` : "";
  const sentence = `${name} has the best score ${share}${others.length ? `, ${listed(others, 3)}` : ""}${tiedPart}.${same}`;
  return [sentence, items];
}

/** Return the number of items, and of those that were tested where systems have different ones. */
function itemsOf({ items, runs }: Ranking, tested: TablePage | null): string {
  if (!items) return "";
  const [least, most] = items;
  if (least === most && (tested?.n ?? most) === most) return `${plural(most, "item")}. `;
  const scored = `${least === most ? "" : `${least.toLocaleString("en")} to `}${plural(most, "item")}`;
  return tested?.n
    ? `Scores on ${scored} each; tested on the ${tested.n.toLocaleString("en")} that all ${runs.length} systems have. `
    : `${scored}. `;
}
