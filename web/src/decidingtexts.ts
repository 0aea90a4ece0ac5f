// The items behind a difference: a histogram whose brush selects texts, and those lost and won most.

import { pairOf } from "./colours";
import type { Data } from "./data";
import { wholeRuns } from "./answer";
import { button, h, prose } from "./dom";
import { exampleCard, markKey } from "./examplecard";
import { number, plural } from "./format";
import { type Range, histogram, summary } from "./histogram";
import { measure } from "./search";
import { fill, loading } from "./sections";
import { type Place, go, here, link, store } from "./state";
import type { AxisColumn, ExamplePage, ExampleQuery, ExampleShown, OverviewPage } from "./types";

const TEXTS = 3; // on each side, as many as a one-file report has of every pair and metric

/** Parameters of the address without a selected range: another pair or metric has other differences. */
export const NO_RANGE = { low: null, high: null, all: null };

/** Two systems on one dataset. */
export interface Two {
  a: string;
  b: string;
  dataset: string;
}

/** Return the metrics with a score for each item, as far as the overview knows: those shown, of this dataset. */
export function metricsOf(overview: OverviewPage, dataset: string): string[] {
  if (!overview.stored.includes(dataset)) return [];
  const runs = wholeRuns(overview, dataset);
  return overview.axes
    .filter((axis) => axis.shown && runs.some((run) => (axis.values[run] ?? null) !== null))
    .map((axis) => axis.name);
}

/** Return the metric of the address, otherwise the first. */
export function metricAt(overview: OverviewPage, place: Place, dataset: string): string {
  const metrics = metricsOf(overview, dataset);
  return metrics.includes(place.get("metric")) ? place.get("metric") : (metrics[0] ?? "");
}

/** Return the section of the texts; null if there are none. */
export function decidingTexts(overview: OverviewPage, data: Data, place: Place, two: Two): HTMLElement | null {
  if (!overview.stored.includes(two.dataset)) return null;
  return loading("texts", content(overview, data, place, two), (node) => node, 6);
}

async function content(overview: OverviewPage, data: Data, place: Place, two: Two): Promise<HTMLElement | null> {
  const { a, b, dataset } = two;
  const { metrics, notes, examples } = await data.examples({ dataset, limit: 1 });
  if (!metrics.length) return null;
  const asked = metricAt(overview, place, dataset);
  const metric = metrics.includes(asked) ? asked : (metrics[0] ?? "");
  const without = [a, b].filter((system) => {
    const output = examples[0]?.outputs.find((one) => one.system === system);
    return output !== undefined && !(metric in output.scores);
  });
  if (without.length)
    return h(
      "p",
      { class: "empty" },
      `No ${metric} of items of ${without.join(" and ")}. Choose another metric above.`,
    );
  const axis = overview.axes.find((one) => one.name === metric);
  const query: ExampleQuery = { dataset, metric, system: a, against: b };
  const texts = h("div", { class: "part", "data-part": "selected texts" });
  const show = (range: Range | null) => {
    if (range) fill(texts, selection(overview, data, two, axis, query, range, clear), (node) => node);
    else fill(texts, bothSides(overview, data, two, axis, query), (node) => node);
  };
  const choose = (range: Range | null) => {
    store(here().with({ metric, low: range?.low ?? null, high: range?.high ?? null, all: isAll(range) ? 1 : null }));
    show(range);
  };
  const clear = () => go(here().with(NO_RANGE));
  const at = (name: string) => (place.get(name) ? Number(place.get(name)) : null);
  const range =
    at("low") !== null || at("high") !== null || place.get("all") ? { low: at("low"), high: at("high") } : null;
  show(range);
  const drawing = loading(
    "differences by item",
    data.differences(dataset, metric, a, b),
    (page) => {
      const words = h("p", { class: "sentence" }, summary(page, axis));
      return page.width
        ? h("div", {}, words, histogram(page, axis, pairOf(overview.systems, a, b), range, choose))
        : words;
    },
    4,
  );
  return h(
    "section",
    {},
    h("h2", {}, "Items that contribute most to the difference"),
    h(
      "p",
      {},
      h("a", { href: link("examples", { dataset, metric, system: a, against: b, order: "size" }) }, "All items"),
    ),
    ...notes.map((text) => h("p", { class: "notice" }, ...prose(text))),
    drawing,
    markKey(`system:${b}`, a),
    texts,
  );
}

/** Return whether a range is open at both ends, which no limit in the address would say. */
function isAll(range: Range | null): boolean {
  return range !== null && range.low === null && range.high === null;
}

async function bothSides(
  overview: OverviewPage,
  data: Data,
  two: Two,
  axis: AxisColumn | undefined,
  query: ExampleQuery,
): Promise<HTMLElement> {
  const lower = axis?.better === "lower";
  const sides = [
    { title: `${two.a} loses most`, order: lower ? "down" : "up", turn: lower ? 1 : -1 },
    { title: `${two.a} wins most`, order: lower ? "up" : "down", turn: lower ? -1 : 1 },
  ];
  const pages = await Promise.all(sides.map(({ order }) => data.examples({ ...query, order, limit: TEXTS })));
  const columns = sides.map(({ title, order, turn }, i) =>
    column(overview, two, axis, query, title, order, turn, pages[i]),
  );
  return h("div", { class: "columns" }, ...columns);
}

/** Return the first texts of a range of differences, the largest difference first. */
async function selection(
  overview: OverviewPage,
  data: Data,
  two: Two,
  axis: AxisColumn | undefined,
  query: ExampleQuery,
  range: Range,
  clear: () => void,
): Promise<HTMLElement> {
  const limits: Partial<ExampleQuery> = {};
  if (range.low !== null) limits.low = range.low;
  if (range.high !== null) limits.high = range.high;
  const page = await data.examples({ ...query, ...limits, order: "size", limit: 2 * TEXTS });
  const shown = { scale: axis?.scale ?? 1, digits: axis?.digits ?? 3, fraction: axis?.fraction ?? false };
  const ends = [
    range.low === null ? "the lowest" : number(range.low, shown, true),
    range.high === null ? "the highest" : number(range.high, shown, true),
  ];
  const all = link("examples", {
    dataset: two.dataset,
    metric: query.metric ?? "",
    system: two.a,
    against: two.b,
    order: "size",
    low: range.low,
    high: range.high,
  });
  const halves = [0, 1].map((half) => page.examples.filter((_, i) => i % 2 === half));
  return h(
    "div",
    { class: "selection" },
    h(
      "p",
      { class: "controls", role: "status" },
      h("b", {}, `${plural(page.matching, "item")} with a difference from ${ends[0]} to ${ends[1]}`),
      h("a", { href: all }, "Open in Texts"),
      button("Clear selection", clear),
    ),
    h(
      "div",
      { class: "columns" },
      ...halves.map((some) => h("div", {}, ...some.map((one) => card(overview, two, axis, query, one)))),
    ),
  );
}

function column(
  overview: OverviewPage,
  { a, b, dataset }: Two,
  axis: AxisColumn | undefined,
  query: ExampleQuery,
  title: string,
  order: string,
  turn: number,
  page: ExamplePage | undefined,
): HTMLElement {
  const cards = (page?.examples ?? []).flatMap((example) => {
    const gap = measure(example, query);
    return gap !== null && gap * turn > 0 ? [card(overview, { a, b, dataset }, axis, query, example)] : [];
  });
  const all = { dataset, metric: query.metric ?? "", system: a, against: b, order };
  return h(
    "div",
    {},
    h("h3", {}, h("a", { href: link("examples", all) }, title)),
    ...(cards.length ? cards : [h("p", { class: "soft" }, "No such item.")]),
  );
}

/** Return the card of an item with the difference next to its id. */
function card(
  overview: OverviewPage,
  { a, b, dataset }: Two,
  axis: AxisColumn | undefined,
  query: ExampleQuery,
  example: ExampleShown,
): HTMLElement {
  const shown = { scale: axis?.scale ?? 1, digits: axis?.digits ?? 3, fraction: axis?.fraction ?? false };
  return exampleCard(example, dataset, {
    overview,
    systems: [a, b],
    mark: `system:${b}`,
    metrics: axis ? [axis] : [],
    note: `${number(measure(example, query), shown, true)} ${axis?.label ?? query.metric ?? ""}`,
  });
}
