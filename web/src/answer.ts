// All systems on one dataset as a table: best score in bold, † = not significantly different from the best.

import type { Data } from "./data";
import { h, table } from "./dom";
import { datasetOf, number, plural, systemOf } from "./format";
import { type Place, link } from "./state";
import type { AxisColumn, OverviewPage, TablePage } from "./types";

const MARK = "†";
const ARROWS = { higher: " ↑", lower: " ↓" } as const;
const MOST = 14; // columns; more are in the plot and the files

/** The dataset a reader looks at: the one that was chosen, else the first. */
export function datasetAt(overview: OverviewPage, place: Place): string {
  const facet = place.list("dataset");
  const asked = facet.length === 1 ? (facet[0] ?? "") : place.get("on");
  return overview.datasets.includes(asked) ? asked : (overview.datasets[0] ?? "");
}

/** The lines of a dataset that are not part of another. */
export function wholeLines(overview: OverviewPage, dataset: string): number[] {
  return overview.lines.system.flatMap((_, line) =>
    datasetOf(overview, line) === dataset && overview.lines.kind[line] !== "subset" ? [line] : [],
  );
}

export function answer(overview: OverviewPage, data: Data, dataset: string): HTMLElement {
  const node = h("section", { class: "answer", "aria-label": `Systems on ${dataset}` });
  const lines = wholeLines(overview, dataset);
  const draw = (said: TablePage | null) => node.replaceChildren(...drawn(overview, dataset, lines, said));
  draw(null);
  if (overview.stored.includes(dataset))
    void data.table(dataset).then(draw, (error: Error) => node.append(h("p", { class: "problem" }, error.message)));
  return node;
}

/** One link a dataset; where one stands is marked. */
export function datasetTabs(overview: OverviewPage, dataset: string): HTMLElement | null {
  if (overview.datasets.length < 2) return null;
  const items = overview.datasets.map((name) =>
    h(
      "li",
      {},
      h("a", { href: link("overview", { on: name }), "aria-current": name === dataset ? "true" : null }, name),
    ),
  );
  return h("nav", { class: "tabs", "aria-label": "Datasets" }, h("ul", {}, ...items));
}

function drawn(overview: OverviewPage, dataset: string, lines: number[], said: TablePage | null): HTMLElement[] {
  const used = overview.axes.filter((axis) => lines.some((line) => (axis.values[line] ?? null) !== null));
  const shown = used.filter((axis) => axis.shown);
  const axes = (shown.length ? shown : used).slice(0, MOST);
  const several = lines.some((line) => overview.lines.subset[line]);
  const rows = lines.map((line) => [
    h("a", { href: link("cards", { kind: "system", name: systemOf(overview, line) }) }, systemOf(overview, line)),
    ...(several ? [overview.lines.subset[line] || "all"] : []),
    ...axes.map((axis) => cell(overview, axis, line, said)),
  ]);
  const sizes = [...new Set(lines.map((line) => overview.lines.n[line] ?? 0))].filter(Boolean);
  const items = sizes.length === 1 ? `, ${plural(sizes[0] ?? 0, "item")}` : "";
  const caption = `${plural(new Set(lines.map((line) => overview.lines.system[line])).size, "system")} on ${dataset}${items}`;
  const headings = ["system", ...(several ? ["set"] : []), ...axes.map((axis) => heading(axis, dataset))];
  const left = (shown.length ? shown : used).length - axes.length;
  return [
    table(caption, headings, rows),
    ...(said?.notes ?? []).map((note) => h("p", { class: "soft note" }, note)),
    ...(left > 0 ? [h("p", { class: "soft note" }, `${plural(left, "more number")} in the plot below.`)] : []),
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

function cell(overview: OverviewPage, axis: AxisColumn, line: number, said: TablePage | null): HTMLElement {
  const value = axis.values[line] ?? null;
  if (value === null) return h("span", { class: "soft", title: axis.why[line] ?? "not in the file" }, "–");
  const [low, high] = [axis.low?.[line] ?? null, axis.high?.[line] ?? null];
  const ends =
    low === null || high === null
      ? null
      : h("small", { class: "ends" }, ` [${number(low, axis)}, ${number(high, axis)}]`);
  const text = number(value, axis);
  const whole = overview.lines.kind[line] === "whole";
  const verdict = whole
    ? said?.numbers.find((one) => one.name === axis.name)?.verdicts[systemOf(overview, line)]
    : undefined;
  if (verdict === "best") return h("span", { title: "best" }, h("b", {}, text), ends);
  if (verdict === "tied")
    return h("span", { title: "not significantly different from the best" }, text, h("sup", {}, MARK), ends);
  return h("span", {}, text, ends);
}
