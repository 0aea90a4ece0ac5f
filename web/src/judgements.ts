// Human judgements of each system, confusion matrices, and inter-annotator agreement.

import { type Bar, bars, matrix } from "./charts";
import { chart } from "./chart";
import { inkOf } from "./colours";
import { h, table } from "./dom";
import { exportButtons } from "./exports";
import { estimate, figure, plural } from "./format";
import type { Agreement, Confusion, OverviewPage, HumanPage } from "./types";

/** Return the mean of each system with its interval. */
export function means(overview: OverviewPage, page: HumanPage): HTMLElement {
  const rows: Bar[] = page.ranked.map((one) => ({
    label: one.system,
    value: one.mean,
    low: one.low,
    high: one.high,
    hue: inkOf(overview.systems, one.system).hue,
  }));
  const name = `Mean ${page.criterion} of each system with 95 % confidence intervals`;
  return chart((width) => bars(rows, name, 2, false, width), {
    name: `judgements-${page.criterion}`,
    rows: () => [
      ["system", "mean", "low", "high", "items"],
      ...page.ranked.map((one) => [one.system, one.mean, one.low, one.high, one.items]),
    ],
  });
}

export function ranked(overview: OverviewPage, page: HumanPage): HTMLElement | null {
  if (!page.ranked.length) return null;
  return h(
    "section",
    {},
    h("h2", {}, "Human judgements by system"),
    h("div", { class: "columns" }, h("div", {}, means(overview, page)), h("div", {}, rankTable(page))),
  );
}

function rankTable(page: HumanPage): HTMLElement {
  const places = page.ranked.map((one) => [
    one.system,
    one.rank,
    one.rank_low === one.rank_high ? `${one.rank_low}` : `${one.rank_low} to ${one.rank_high}`,
    one.items,
  ]);
  return table(
    `Ranks (${page.ranked[0]?.better ?? "higher"} is better); systems that do not differ significantly share one`,
    ["system", "shared rank", "95 % rank interval", "items"],
    places,
  );
}

export function confusion(one: Confusion): HTMLElement {
  const cells = one.cells.map(({ row, column, n, wrong }) => ({
    row,
    column,
    share: n ? wrong / n : 0,
    text: wrong ? `${wrong}/${n}` : `${n}`,
    title: `${one.classes[row]} and ${one.classes[column]}: ${wrong} of ${n} wrong`,
  }));
  const total = one.cells.reduce((sum, cell) => sum + cell.n, 0);
  const wrong = one.cells.reduce((sum, cell) => sum + cell.wrong, 0);
  const drawing = matrix(one.classes, one.classes, cells, `Confusion matrix of ${one.system}`);
  return h(
    "section",
    {},
    h("h2", {}, `Equivalence classes: ${one.system}`),
    h(
      "p",
      {},
      `${total - wrong} of ${total} choices are correct${total < 100 ? ` (small sample, n = ${total})` : ""}. ` +
        "Rows: true class. Columns: other class. Cells: wrong choices of all.",
    ),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Confusion matrix" }, drawing),
    exportButtons(
      `confusion-${one.system}`,
      () => drawing,
      () => [
        ["class", "other", "n", "wrong"],
        ...one.cells.map((cell) => [one.classes[cell.row] ?? "", one.classes[cell.column] ?? "", cell.n, cell.wrong]),
      ],
    ),
  );
}

export function agreement(page: Agreement, criterion: string): HTMLElement {
  const rows = Object.entries(page.coefficients).map(([name, one]) => [name, estimate(one.value, one)]);
  const amounts = [
    plural(page.items, "text"),
    plural(page.annotators, "annotator"),
    plural(page.judgements, "judgement"),
  ].join(", ");
  const profiles = Object.entries(page.profiles).map(([name, one]) => [
    name,
    one.judgements,
    figure(one.mean),
    figure(one.median_seconds, 1),
    `${one.top_value ?? "–"} (${Math.round((one.top_share ?? 0) * 100)} %)`,
    figure(page.leave_one_out[name]),
  ]);
  return h(
    "section",
    {},
    h("h2", {}, "Inter-annotator agreement"),
    ...page.warnings.map((text) => h("p", { class: "problem" }, text)),
    table(`Agreement on ${criterion}: ${amounts}`, ["coefficient", "value"], rows),
    table(
      "Annotators",
      ["annotator", "judgements", "mean", "median seconds", "most frequent answer", "α without annotator"],
      profiles,
    ),
  );
}
