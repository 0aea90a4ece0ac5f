// All systems on one dataset as a table: best score in bold, † = not significantly different from the best.

import type { Data } from "./data";
import { h, table } from "./dom";
import { datasetOf, number, plural, systemOf } from "./format";
import { fill } from "./sections";
import { type Place, link } from "./state";
import type { AxisColumn, OverviewPage, TablePage } from "./types";

const MARK = "†";
const ARROWS = { higher: " ↑", lower: " ↓" } as const;
const MOST = 14; // columns; the plot and the exported files have all

/** Return the selected dataset, by default the first. */
export function datasetAt(overview: OverviewPage, place: Place): string {
  const facet = place.list("dataset");
  const requested = facet.length === 1 ? (facet[0] ?? "") : place.get("on");
  return overview.datasets.includes(requested) ? requested : (overview.datasets[0] ?? "");
}

/** Return the runs of a dataset, without runs on subsets. */
export function wholeRuns(overview: OverviewPage, dataset: string): number[] {
  return overview.runs.system.flatMap((_, run) =>
    datasetOf(overview, run) === dataset && overview.runs.kind[run] !== "subset" ? [run] : [],
  );
}

/** Return the table with the rows in the order of the picture; without the tests of it, it gets its marks later. */
export function answer(
  overview: OverviewPage,
  data: Data,
  dataset: string,
  known: TablePage | null,
  order: number[],
): HTMLElement {
  const node = h("section", { class: "answer", "aria-label": `Systems on ${dataset}` });
  const place = (run: number) => {
    const at = order.indexOf(run);
    return at < 0 ? order.length : at;
  };
  const runs = wholeRuns(overview, dataset).sort((x, y) => place(x) - place(y));
  const draw = (tested: TablePage | null) => h("div", {}, ...drawn(overview, dataset, runs, tested));
  node.append(draw(known));
  if (!known && overview.stored.includes(dataset)) fill(node, data.table(dataset), draw);
  return node;
}

/** Return one link for each dataset; the current one is marked. */
export function datasetTabs(overview: OverviewPage, dataset: string, page = "overview"): HTMLElement | null {
  if (overview.datasets.length < 2) return null;
  const items = overview.datasets.map((name) =>
    h("li", {}, h("a", { href: link(page, { on: name }), "aria-current": name === dataset ? "true" : null }, name)),
  );
  return h("nav", { class: "tabs", "aria-label": "Datasets" }, h("ul", {}, ...items));
}

function drawn(overview: OverviewPage, dataset: string, runs: number[], tested: TablePage | null): HTMLElement[] {
  const used = overview.axes.filter((axis) => runs.some((run) => (axis.values[run] ?? null) !== null));
  const shown = used.filter((axis) => axis.shown);
  const axes = (shown.length ? shown : used).slice(0, MOST);
  const several = runs.some((run) => overview.runs.subset[run]);
  const rows = runs.map((run) => [
    h("a", { href: link("cards", { kind: "system", name: systemOf(overview, run) }) }, systemOf(overview, run)),
    ...(several ? [overview.runs.subset[run] || "all"] : []),
    ...axes.map((axis) => cell(overview, axis, run, tested)),
  ]);
  const sizes = [...new Set(runs.map((run) => overview.runs.n[run] ?? 0))].filter(Boolean);
  const items = sizes.length === 1 ? `, ${plural(sizes[0] ?? 0, "item")}` : "";
  const caption = `${plural(new Set(runs.map((run) => overview.runs.system[run])).size, "system")} on ${dataset}${items}`;
  const headings = ["system", ...(several ? ["set"] : []), ...axes.map((axis) => heading(axis, dataset))];
  const left = (shown.length ? shown : used).length - axes.length;
  return [
    table(caption, headings, rows),
    ...(tested?.notes ?? []).map((note) => h("p", { class: "soft note" }, note)),
    ...(left > 0 ? [h("p", { class: "soft note" }, `${plural(left, "more metric")} under All scores.`)] : []),
  ];
}

function heading(axis: AxisColumn, dataset: string): HTMLElement {
  const arrow = axis.better ? ARROWS[axis.better] : "";
  return h(
    "a",
    { href: link("cards", { kind: "metric", name: axis.name }) },
    `${axis.labels[dataset] ?? axis.label}${arrow}`,
  );
}

function cell(overview: OverviewPage, axis: AxisColumn, run: number, tested: TablePage | null): HTMLElement {
  const value = axis.values[run] ?? null;
  if (value === null) return h("span", { class: "soft", title: axis.why[run] ?? "not in the file" }, "–");
  const [low, high] = [axis.low?.[run] ?? null, axis.high?.[run] ?? null];
  const ends =
    low === null || high === null
      ? null
      : h("small", { class: "ends" }, ` [${number(low, axis)}, ${number(high, axis)}]`);
  const text = number(value, axis);
  const allItems = !overview.runs.subset[run]; // a part of the dataset, or the originals, was not tested
  const verdict = allItems
    ? tested?.metrics.find((one) => one.name === axis.name)?.verdicts[systemOf(overview, run)]
    : undefined;
  if (verdict === "best") return h("span", { title: "best" }, h("b", {}, text), ends);
  if (verdict === "tied")
    return h("span", { title: "not significantly different from the best" }, text, h("sup", {}, MARK), ends);
  return h("span", {}, text, ends);
}
