// Results: the answer in a sentence, the picture of it, where the first two systems differ, and what annotators say.

import { answer, datasetAt, datasetTabs } from "./answer";
import { chart } from "./chart";
import type { Data } from "./data";
import { button, h, select } from "./dom";
import { differenceOf, estimate, number, plural, subsetName, systemOf } from "./format";
import { fewItems, heatmapOf, isLarge } from "./heatmap";
import { means } from "./judgements";
import { multiples } from "./multiples";
import { closestMetrics } from "./rankedr";
import { type Ranking, headline, rankingOf } from "./ranking";
import { fill, loading } from "./sections";
import { type Place, go, here, link } from "./state";
import type { AxisColumn, HumanPage, OverviewPage, TablePage } from "./types";

const PANELS = 4; // metrics that are drawn at first
const SUBSETS = 8;

export function resultsPage(overview: OverviewPage, data: Data, place: Place): HTMLElement {
  const dataset = datasetAt(overview, place);
  const node = h("div", { class: "part results", "data-part": "results" });
  const draw = (tested: TablePage | null, note: HTMLElement | null = null) =>
    h("div", {}, ...drawn(overview, data, place, dataset, tested, note));
  const stored = overview.stored.includes(dataset);
  node.append(
    draw(
      null,
      stored ? h("p", { class: "testing", role: "status" }, "Testing which systems differ significantly…") : null,
    ),
  );
  if (stored) fill(node, data.table(dataset), (tested) => draw(tested));
  return h(
    "div",
    {},
    datasetTabs(overview, dataset),
    node,
    h("div", { class: "two-boxes" }, ...boxes(overview, data, place, dataset)),
  );
}

function drawn(
  overview: OverviewPage,
  data: Data,
  place: Place,
  dataset: string,
  tested: TablePage | null,
  note: HTMLElement | null,
): (HTMLElement | null)[] {
  const ranking = rankingOf(overview, dataset, place.get("by"), tested);
  const [sentence, items] = headline(overview, ranking, tested);
  const how = tested?.notes.length
    ? h(
        "details",
        { class: "how" },
        h("summary", {}, "How this was tested"),
        ...tested.notes.map((text) => h("p", {}, text)),
      )
    : null;
  const table = place.get("table") === "1";
  return [
    h("h1", { class: "headline" }, sentence),
    h("div", { class: "soft under-headline" }, items, how),
    note,
    ranking.axes.length ? pictured(overview, ranking, place, table) : null,
    table || !ranking.axes.length ? answer(overview, data, dataset, tested, ranking.runs) : null,
  ];
}

function pictured(overview: OverviewPage, ranking: Ranking, place: Place, table: boolean): HTMLElement {
  const all = place.get("metrics") === "all";
  const axes = all ? ranking.axes : ranking.axes.slice(0, PANELS);
  const more = ranking.axes.length - PANELS;
  const toggle = (name: string, value: string, now: boolean) => () => go(here().with({ [name]: now ? null : value }));
  const options = ranking.axes.map((axis) => [axis.name, axis.label] as const).sort((x, y) => x[1].localeCompare(y[1]));
  const rows = () => [
    ["system", ...axes.flatMap((axis) => [axis.name, `${axis.name}.low`, `${axis.name}.high`, `${axis.name}.verdict`])],
    ...ranking.runs.map((run) => [
      systemOf(overview, run),
      ...axes.flatMap((axis) => [
        axis.values[run] ?? null,
        axis.low?.[run] ?? null,
        axis.high?.[run] ?? null,
        ranking.verdict(axis, run),
      ]),
    ]),
  ];
  const tools = [
    more > 0
      ? button(all ? "Fewer metrics" : `+ ${plural(more, "metric")}`, toggle("metrics", "all", all), {
          id: "more-metrics",
        })
      : null,
    button("Table", toggle("table", "1", table), { id: "show-table", "aria-pressed": String(table) }),
    ranking.axes.length > 1
      ? select("Order by", options, ranking.primary?.name ?? "", (value) => go(here().with({ by: value })), "order-by")
      : null,
  ].filter((one) => one !== null);
  return h(
    "div",
    { class: "box" },
    chart((width) => multiples(overview, ranking, axes, width), {
      name: `results-${ranking.dataset}`,
      rows,
      legend: key(),
      more: tools,
    }),
  );
}

/** Return what filled, hollow and grey dots mean. */
function key(): HTMLElement {
  const entry = (kind: string, text: string) =>
    h("li", {}, h("span", { class: `dot ${kind}`, "aria-hidden": "true" }), text);
  return h(
    "ul",
    { class: "legend", "aria-label": "Legend" },
    entry("best", "best"),
    entry("tied", "tied with the best (no significant difference)"),
    entry("behind", "behind"),
    h("li", { class: "soft" }, "shaded: the tied group · lines: 95 % interval"),
  );
}

function boxes(overview: OverviewPage, data: Data, place: Place, dataset: string): (HTMLElement | null)[] {
  return [differ(overview, data, rankingOf(overview, dataset, place.get("by"), null)), people(overview, data, dataset)];
}

/** The difference of two systems on a subset; positive: the first is better. */
interface SubsetGap {
  pair: [number, number];
  gap: number;
  subset: string;
  n: number | null;
}

/** Return the subsets on which the first two systems differ most. */
function differ(overview: OverviewPage, data: Data, ranking: Ranking): HTMLElement | null {
  const [first, second] = ranking.runs;
  if (first === undefined || second === undefined || !ranking.primary) return null;
  const [a, b] = [systemOf(overview, first), systemOf(overview, second)];
  const axis = ranking.primary;
  const turn = axis.better === "lower" ? -1 : 1;
  const system = (run: number) => overview.runs.system[run];
  const on = overview.runs.subset.flatMap((subset, run): SubsetGap[] => {
    if (!subset || overview.runs.kind[run] !== "subset" || system(run) !== system(first)) return [];
    if (overview.runs.dataset[run] !== overview.runs.dataset[first]) return [];
    const other = overview.runs.subset.findIndex(
      (one, each) =>
        one === subset &&
        system(each) === system(second) &&
        overview.runs.dataset[each] === overview.runs.dataset[first],
    );
    const gap = other < 0 ? null : differenceOf(axis, run, other);
    return gap === null ? [] : [{ pair: [run, other], gap: gap * turn, subset, n: overview.runs.n[run] ?? null }];
  });
  const title = h("h2", {}, "Where do they differ?");
  const compare = h("a", { href: link("compare", { a, b, dataset: ranking.dataset }) }, `Compare ${a} and ${b}`);
  if (!on.length)
    return h("section", { class: "box" }, title, h("p", { class: "soft" }, "These results have no subsets."), compare);
  const shown = chosen(on);
  return h(
    "section",
    { class: "box" },
    title,
    h("p", { class: "soft" }, `${a} minus ${b} by subset${extremes(on, axis)}.`),
    heatmapOf(
      overview,
      data,
      ranking.axes.slice(0, PANELS),
      shown.map(({ pair }) => pair),
      a,
      b,
      ranking.dataset,
    ),
    compare,
  );
}

/** Return the subsets of the picture by difference: extremes of those that can have an interval, then the others. */
function chosen(on: SubsetGap[]): SubsetGap[] {
  const byGap = (x: SubsetGap, y: SubsetGap) => y.gap - x.gap;
  const large = on.filter(({ n }) => isLarge(n)).sort(byGap);
  const ends = large.length <= SUBSETS ? large : [...large.slice(0, SUBSETS / 2), ...large.slice(-SUBSETS / 2)];
  const small = on.filter(({ n }) => !isLarge(n)).sort((x, y) => (y.n ?? 0) - (x.n ?? 0));
  return [...ends, ...small.slice(0, SUBSETS - ends.length).sort(byGap)];
}

/** Return the largest differences in words; those of a few items are chance more than anything else. */
function extremes(on: SubsetGap[], axis: AxisColumn): string {
  const large = on.filter(({ n }) => isLarge(n)).sort((x, y) => y.gap - x.gap);
  const small = on.length - large.length;
  const few = small ? `${fewItems(small)}, too few for an interval` : "";
  const [top, bottom] = [large[0], large[large.length - 1]];
  if (!top || !bottom) return `: ${few}`;
  const size = ({ gap, n }: SubsetGap) =>
    `${number(axis.better === "lower" ? -gap : gap, axis, true)} ${axis.label}` +
    (n === null ? "" : `, n = ${n.toLocaleString("en")}`);
  const words = (one: SubsetGap, kind: string) => `${kind}${subsetName(one.subset)} (${size(one)})`;
  const said =
    top === bottom
      ? words(top, "")
      : `${words(top, top.gap > 0 ? "largest gain on " : "smallest loss on ")}, ` +
        words(bottom, bottom.gap < 0 ? "largest loss on " : "smallest gain on ");
  return `: ${said}${few ? `; ${few}` : ""}`;
}

/** Return what human judgements of the dataset say. */
function people(overview: OverviewPage, data: Data, dataset: string): HTMLElement {
  const title = h("h2", {}, "Do annotators agree?");
  if (!overview.judged.includes(dataset))
    return h("section", { class: "box" }, title, h("p", { class: "soft" }, "No human judgements of these outputs."));
  const part = loading("human judgements", data.correlation(dataset, ""), (page) => judged(overview, page));
  return h("section", { class: "box" }, title, part);
}

function judged(overview: OverviewPage, page: HumanPage): HTMLElement {
  const first = page.ranked.filter((one) => one.rank === 1);
  const shared =
    first.length > 1
      ? `${first.length} of ${plural(page.ranked.length, "system")} share the first rank`
      : first.length
        ? `${first[0]?.system ?? ""} ranks first of ${plural(page.ranked.length, "system")}`
        : "";
  const alpha = page.agreement?.coefficients["alpha-ordinal"] ?? page.agreement?.coefficients["alpha-nominal"];
  const agreed = alpha
    ? alpha.value === null
      ? ""
      : `Krippendorff's alpha ${estimate(alpha.value, alpha)}`
    : "inter-annotator agreement cannot be computed";
  const sentence = [shared, agreed, closestMetrics(overview, page)].filter(Boolean).join("; ");
  const items = Math.max(0, ...page.ranked.map((one) => one.items));
  const size = items ? plural(items, "item") : plural(page.n, "judged text");
  return h(
    "div",
    {},
    page.synthetic ? h("p", { class: "problem" }, "These judgements are synthetic; they are no evidence.") : null,
    h("p", { class: "soft" }, `${page.criterion || "Forced choices"}, ${size}${sentence ? `: ${sentence}` : ""}.`),
    page.ranked.length ? means(overview, page) : null,
    h("a", { href: link("correlation", { dataset: page.dataset }) }, "Human correlation"),
  );
}
